package build

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/genesis"
)

// everything has every field that a tazuna.yaml can have.
const everything = `apiVersion: tazuna.pepabo.com/v1
kind: Tazuna
spec:
  minimumSupportedTazunaVersion: v1.0.0
  project: shop
  context_matches: [^dev-]
  context_match_mode: and
  environments: {prod: {context_matches: [^prod-], context_match_mode: or}}
  rules: []
  tests:
  - {type: ExistNonExist, existNonExist: {resource: {apiVersion: v1, kind: Pod}, namespace: a, name: b, shouldExist: true}}
  providers:
  - {name: op, type: onepassword, onepassword: {}}
  - {name: env, type: envfile, envfile: {path: .env}}
  manifests:
  - name: plain
    description: text
    type: yaml
    path: a
    tags: [x]
    dependsOn: [kustomized]
    yaml: {defaultNamespace: a, recursive: true}
    tests:
    - type: WaitUntil
      minConsecutiveSuccessCount: 1
      minConsecutiveFailureCount: 2
      timeoutSeconds: 3
      intervalSeconds: 4
      waitUntil: {resource: {apiVersion: v1, kind: Pod}, namespace: a, name: b, condition: "true"}
  - {name: kustomized, type: kustomize, path: a, kustomize: {defaultNamespace: a}}
  - name: charted
    type: helm
    helm:
      chart: c
      repository: https://r
      version: ^1
      release: r
      namespace: ns
      createNamespace: true
      values: {any: [1, {thing: true}]}
      valueFiles: [v.yaml]
      includeCRDs: true
      kubeVersion: v1.30.0
      apiVersions: [a/v1]
      wait: true
      timeoutSeconds: 5
      plainHTTP: true
      insecureSkipVerify: true
      caFile: ca.pem
      auth: {username: u, password: p, usernameEnv: U, passwordEnv: P}
  - name: filed
    type: helmfile
    path: a
    helmfile:
      includeCRDs: true
      defaultNamespace: a
      extraValueFiles: [v.yaml]
      wait: true
      timeoutSeconds: 5
      kubeVersion: v1.30.0
      vars:
        a: {from: env, env: A}
        b: {from: static, static: b}
        c: {from: static, staticSlice: [c]}
        d: {from: static, staticMap: {d: d}}
        e: {from: op, op: {key: id, vault: v, item: i, field: f}}
  - name: pulled
    type: oras
    oras:
      reference: ghcr.io/a/b:c
      target: d
      plainHTTP: true
      insecureSkipVerify: true
      caFile: ca.pem
      auth: {username: u}
      delegate: {type: kustomize, kustomize: {defaultNamespace: a}}
  - {name: made, type: genesissecret, path: a, genesisSecret: {}}
  - {type: parallel, name: p, description: d, parallel: {children: [{type: yaml, path: b, name: q}]}}
`

const everySecret = `apiVersion: a
kind: GenesisSecret
metadata: {name: x}
spec:
  provider: op
  static: {a: b}
  secrets: [{uri: op://a/b/c, preferLabel: true, items: {a: {mapTo: b}}}]
  outputs:
  - {stdout: {}}
  - {kubernetesSecret: {namespace: a, name: b, labels: {a: b}, annotations: {a: b}, type: c, context: d}}
`

func schemaOf(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "schemas", name))
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource(name, document))
	s, err := c.Compile(name)
	require.NoError(t, err)
	return s
}

// eachMapping calls visit with the document, changed by one unknown key in one of
// its mappings.
func eachMapping(t *testing.T, document any, at string, root any, visit func(at string, text []byte)) {
	t.Helper()
	switch v := document.(type) {
	case map[string]any:
		v["unknownKey"] = "x"
		text, err := json.Marshal(root)
		require.NoError(t, err)
		delete(v, "unknownKey")
		visit(at, text)
		for key, child := range v {
			eachMapping(t, child, at+"."+key, root, visit)
		}
	case []any:
		for _, child := range v {
			eachMapping(t, child, at+"[]", root, visit)
		}
	}
}

// free are the mappings that take any key.
var free = []string{".helm.values", ".environments", ".vars", ".staticMap", ".metadata", ".static", ".labels", ".annotations", ".items"}

func isFree(at string) bool {
	for _, end := range free {
		if strings.HasSuffix(at, end) || strings.Contains(at, end+"[]") || strings.Contains(at, ".helm.values.") {
			return true
		}
	}
	return false
}

// The published schema and the reader take the same keys everywhere.
func TestSchemaIsThatOfTheReader(t *testing.T) {
	for _, test := range []struct {
		schema, text string
		read         func(text []byte) error
	}{
		{"tazuna.v1.json", everything, func(text []byte) error {
			_, err := config.Parse(text, "tazuna.yaml", config.LoadOptions{Types: ConfigTypes()})
			return err
		}},
		{"tazuna-genesissecret.v1.json", everySecret, func(text []byte) error {
			_, _, err := genesis.Parse(text, "s.yaml", false)
			return err
		}},
	} {
		schema := schemaOf(t, test.schema)
		var document any
		require.NoError(t, yaml.Unmarshal([]byte(test.text), &document))
		require.NoError(t, schema.Validate(document))
		require.NoError(t, test.read([]byte(test.text)))
		mappings := 0
		eachMapping(t, document, "", document, func(at string, text []byte) {
			mappings++
			var changed any
			require.NoError(t, json.Unmarshal(text, &changed))
			if isFree(at) {
				return
			}
			require.Error(t, schema.Validate(changed), "schema: an unknown key in %s", at)
			err := test.read(text)
			require.ErrorContains(t, err, `unknown field "unknownKey"`, "reader: an unknown key in %s", at)
		})
		assert.Greater(t, mappings, 5)
	}
}

// Every key that the schema has is in the example that the reader takes.
func TestExampleHasEveryKey(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "schemas", "tazuna.v1.json"))
	require.NoError(t, err)
	var schema any
	require.NoError(t, json.Unmarshal(data, &schema))
	var walk func(node any)
	walk = func(node any) {
		switch v := node.(type) {
		case map[string]any:
			if properties, ok := v["properties"].(map[string]any); ok {
				for key := range properties {
					assert.Contains(t, everything+"includes:", key+":", "the key %s", key)
				}
			}
			for _, child := range v {
				walk(child)
			}
		case []any:
			for _, child := range v {
				walk(child)
			}
		}
	}
	walk(schema)
}

func TestSchemaOfIncludes(t *testing.T) {
	schema := schemaOf(t, "tazuna.v1.json")
	for text, good := range map[string]bool{
		"spec: {manifests: [{includes: [{path: a}]}]}":                 true,
		"spec: {manifests: [{includes: [{}]}]}":                        false,
		"spec: {manifests: [{includes: [{path: a}], tags: [a]}]}":      false,
		"spec: {manifests: [{name: A, type: yaml, path: a}]}":          false,
		"spec: {manifests: [{name: a, type: jsonnet, path: a}]}":       false,
		"spec: {tests: [{type: WaitUntil, timeoutSeconds: -1}]}":       false,
		"spec: {environments: {a: }}":                                  true,
		"spec: {manifests: [{name: a, type: yaml, path: a, tags: x}]}": false,
	} {
		var document any
		require.NoError(t, yaml.Unmarshal([]byte(text), &document))
		assert.Equal(t, good, schema.Validate(document) == nil, text)
	}
}
