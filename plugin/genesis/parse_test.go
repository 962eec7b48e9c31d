package genesis

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

const complete = `apiVersion: tazuna.pepabo.com/v1
kind: GenesisSecret
spec:
  provider: team
  secrets:
  - uri: op://my.1password.com/Infra/db
    preferLabel: true
    items:
      user name: {mapTo: USER}
      password: {mapTo: PASSWORD}
  - uri: op://my.1password.com/Infra/other
    items: {token: {mapTo: TOKEN}}
  static: {type: git, url: https://example.test}
  outputs:
  - kubernetesSecret:
      namespace: shop
      name: db
      labels: {app: db}
      annotations: {note: first}
      type: example.test/db
  - kubernetesSecret: {name: copy}
  - stdout: {}
`

func TestParse(t *testing.T) {
	s, warnings, err := Parse([]byte(complete), "db.yaml", false)
	require.NoError(t, err)
	assert.Empty(t, warnings)
	assert.Equal(t, &Secret{
		Path: "db.yaml", Provider: "team",
		Sources: []Source{
			{URI: "op://my.1password.com/Infra/db", PreferLabel: true, Line: 6, Items: []Item{
				{Field: "user name", MapTo: "USER", Line: 9}, {Field: "password", MapTo: "PASSWORD", Line: 10},
			}},
			{URI: "op://my.1password.com/Infra/other", Line: 11, Items: []Item{{Field: "token", MapTo: "TOKEN", Line: 12}}},
		},
		Static: map[string]string{"type": "git", "url": "https://example.test"},
		Outputs: []Output{
			{Namespace: "shop", Name: "db", Type: "example.test/db", Labels: map[string]string{"app": "db"}, Annotations: map[string]string{"note": "first"}, Line: 15},
			{Name: "copy", Type: "Opaque", Line: 21},
			{Stdout: true, Line: 22},
		},
	}, s)
}

func TestParseDefaultsAndWarnings(t *testing.T) {
	s, warnings, err := Parse([]byte("spec:\n  provider: ''\n  outputs: [{kubernetesSecret: {name: a, type: '', context: prod}}]\n"), "a.yaml", false)
	require.NoError(t, err)
	assert.Equal(t, "default-op", s.Provider)
	assert.Equal(t, "Opaque", s.Outputs[0].Type)
	require.Len(t, warnings, 1)
	assert.Contains(t, warnings[0].String(), "a.yaml:3: spec.outputs[0].kubernetesSecret.context: has no effect")
}

func TestParseRefuses(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"nothing":           {"", "a.yaml: the file is empty: wanted a GenesisSecret with a spec"},
		"no spec":           {"kind: GenesisSecret\n", "a.yaml:1: spec: missing"},
		"no outputs":        {"spec: {provider: a}\n", "a.yaml:1: spec.outputs: missing"},
		"both outputs":      {"spec:\n  outputs:\n  - {stdout: {}, kubernetesSecret: {name: a}}\n", "a.yaml:3: spec.outputs[0]: wanted either kubernetesSecret or stdout: {}"},
		"neither":           {"spec:\n  outputs:\n  - {}\n", "a.yaml:3: spec.outputs[0]: wanted either kubernetesSecret or stdout: {}"},
		"no name":           {"spec:\n  outputs:\n  - {kubernetesSecret: {namespace: a}}\n", "a.yaml:3: spec.outputs[0].kubernetesSecret.name: missing"},
		"odd name":          {"spec:\n  outputs:\n  - {kubernetesSecret: {name: A}}\n", `a.yaml:3: spec.outputs[0].kubernetesSecret.name: "A" is no name of a Secret`},
		"no mapTo":          {"spec:\n  secrets: [{uri: a, items: {x: {}}}]\n  outputs: [{stdout: {}}]\n", "a.yaml:2: spec.secrets[0].items.x.mapTo: missing"},
		"odd key":           {"spec:\n  secrets: [{uri: a, items: {x: {mapTo: a/b}}}]\n  outputs: [{stdout: {}}]\n", `"a/b" is no key of a Secret`},
		"misspelt":          {"spec:\n  secret: []\n  outputs: [{stdout: {}}]\n", `a.yaml:2: spec: unknown field "secret"; did you mean "secrets"?`},
		"stdout with words": {"spec:\n  outputs: [{stdout: {file: a}}]\n", `unknown field "file"`},
		"a number":          {"spec:\n  static: {port: 5432}\n  outputs: [{stdout: {}}]\n", "a.yaml:2: spec.static.port: wanted text, found a number"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := Parse([]byte(test.text), "a.yaml", false)
			require.ErrorContains(t, err, test.want)
		})
	}
	_, warnings, err := Parse([]byte("spec:\n  secret: []\n  outputs: [{stdout: {}}]\n"), "a.yaml", true)
	require.NoError(t, err)
	assert.Len(t, warnings, 1, "a lenient load warns")
}

func TestObjects(t *testing.T) {
	s, _, err := Parse([]byte(complete), "db.yaml", false)
	require.NoError(t, err)
	objects := s.Objects(Values{"USER": "u", "PASSWORD": "p"})
	require.Len(t, objects, 2, "every output has its Secret")
	assert.Equal(t, map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": "example.test/db",
		"metadata": map[string]any{
			"namespace": "shop", "name": "db",
			"labels": map[string]any{"app": "db"}, "annotations": map[string]any{"note": "first"},
		},
		"stringData": map[string]any{"USER": "u", "PASSWORD": "p"},
	}, objects[0].Body)
	assert.Equal(t, object.Origin{File: "db.yaml", Document: 1, Line: 15}, objects[0].Origin)
	assert.Equal(t, map[string]any{"name": "copy"}, objects[1].Body["metadata"])
	assert.Equal(t, "Opaque", objects[1].Body["type"])
}

func TestText(t *testing.T) {
	s := &Secret{Outputs: []Output{{Stdout: true}}}
	assert.Equal(t, "A=plain\nB=\"two\\nlines\"\nC=\" blank\"\nD=\"it's\"\nE=\n",
		s.Text(Values{"B": "two\nlines", "A": "plain", "C": " blank", "D": "it's", "E": ""}),
		"sorted, and one line a value")
	assert.Empty(t, (&Secret{Outputs: []Output{{Name: "a"}}}).Text(Values{"A": "b"}))
}
