package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// complete has every field that the format knows.
const complete = `# Bootstrap of a cluster.
apiVersion: tazuna.pepabo.com/v1
kind: Tazuna
spec:
  minimumSupportedTazunaVersion: v1.2.0
  context_matches:
  - ^kind-
  - -staging$
  context_match_mode: and
  manifests:
  - name: ingress
    description: "the way in"
    type: kustomize
    path: ./ingress/overlays/staging
    tags: [network, base]
    kustomize:
      defaultNamespace: ingress
  - name: apps
    type: yaml
    path: /srv/apps
    tags: [base]
    yaml:
      defaultNamespace: apps
      recursive: yes
`

func TestParse(t *testing.T) {
	t.Run("every field", func(t *testing.T) {
		f, err := Parse([]byte(complete), "cluster/tazuna.yaml", ofVersion("1.2.0"))
		require.NoError(t, err)
		assert.Equal(t, "cluster/tazuna.yaml", f.Path)
		assert.Equal(t, Tazuna{
			APIVersion: APIVersion,
			Kind:       Kind,
			Spec: Spec{
				MinimumSupportedTazunaVersion: "v1.2.0",
				ContextMatches:                []string{"^kind-", "-staging$"},
				ContextMatchMode:              MatchAnd,
				Manifests: []Manifest{
					{
						Name: "ingress", Description: "the way in", Type: "kustomize",
						Path: "cluster/ingress/overlays/staging", Tags: []string{"network", "base"},
						DefaultNamespace: "ingress", File: "cluster/tazuna.yaml", Line: 11,
					},
					{
						Name: "apps", Type: "yaml", Path: "/srv/apps", Tags: []string{"base"},
						DefaultNamespace: "apps", Recursive: true, File: "cluster/tazuna.yaml", Line: 18,
					},
				},
			},
		}, f.Tazuna)
	})

	accepted := map[string]string{
		"no apiVersion and no kind":                           "spec: {}\n",
		"no manifests":                                        "spec: {manifests: []}\n",
		"nulls are absences":                                  "apiVersion: null\nspec: {context_matches: , manifests: null}\n",
		"byte order mark, CRLF":                               "\uFEFFkind: Tazuna\r\nspec:\r\n  manifests: []\r\n",
		"empty documents around":                              "---\n# nothing\n---\nspec: {}\n---\n",
		"a comment with a template":                           "spec: {} # {{ .Environment }}\n",
		"a field of the original that no type claims, absent": "spec: {manifests: [{name: a, type: yaml, path: .}]}\n",
		"aliases and merge keys": `spec:
  manifests:
  - &base {name: a, type: yaml, path: a, tags: &tags [x]}
  - {<<: *base, name: b}
  - <<: [{name: c}, *base]
    tags: *tags
`,
	}
	for name, text := range accepted {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(text), "tazuna.yaml", withTypes())
			require.NoError(t, err)
		})
	}
}

func TestParseMergesAsYAMLDoes(t *testing.T) {
	f, err := Parse([]byte(accMerge), "tazuna.yaml", withTypes())
	require.NoError(t, err)
	m := f.Tazuna.Spec.Manifests
	require.Len(t, m, 2)
	assert.Equal(t, Manifest{Name: "b", Type: "yaml", Path: "a", Tags: []string{"own"}, File: "tazuna.yaml", Line: 5}, m[1],
		"keys of the mapping win, lists are replaced and not joined")
}

const accMerge = `spec:
  manifests:
  - &base
    {name: a, type: yaml, path: a, tags: [x]}
  - <<: *base
    name: b
    tags: [own]
`

func TestParseRefuses(t *testing.T) {
	tests := map[string]struct {
		text    string
		version string
		want    []string
	}{
		"nothing":           {text: "# empty\n", want: []string{"tazuna.yaml: the file is empty: wanted a Tazuna document with a spec"}},
		"no YAML":           {text: "spec:\n  a: [\n", want: []string{"tazuna.yaml:2: not YAML: did not find expected node content"}},
		"tab":               {text: "spec:\n\ta: 1\n", want: []string{"tazuna.yaml:2: not YAML: found character that cannot start any token"}},
		"text":              {text: "hello\n", want: []string{"tazuna.yaml:1: wanted a mapping, found text"}},
		"two documents":     {text: "spec: {}\n---\nspec: {}\n", want: []string{"tazuna.yaml:3: a second document: a tazuna file has exactly one"}},
		"no spec":           {text: "kind: Tazuna\n", want: []string{"tazuna.yaml:1: spec: missing"}},
		"other kind":        {text: "kind: tazuna\nspec: {}\n", want: []string{`tazuna.yaml:1: kind: wanted Tazuna, found "tazuna"`}},
		"other apiVersion":  {text: "apiVersion: v1\nspec: {}\n", want: []string{`tazuna.yaml:1: apiVersion: wanted tazuna.pepabo.com/v1, found "v1"`}},
		"metadata":          {text: "metadata: {name: a}\nspec: {}\n", want: []string{`tazuna.yaml:1: unknown field "metadata"; known: apiVersion, kind, spec`}},
		"misspelt":          {text: "spec:\n  manifest: []\n", want: []string{`tazuna.yaml:2: spec: unknown field "manifest"; did you mean "manifests"?`}},
		"camel case":        {text: "spec:\n  contextMatches: []\n", want: []string{`tazuna.yaml:2: spec: unknown field "contextMatches"; did you mean "context_matches"?`}},
		"key twice":         {text: "spec: {}\nkind: Tazuna\nspec: {}\n", want: []string{`tazuna.yaml:3: key "spec" is there twice, first on line 1`}},
		"key that is none":  {text: "spec: {}\n[a]: b\n", want: []string{"tazuna.yaml:2: wanted text as key, found a list"}},
		"wrong types":       {text: "spec:\n  context_matches: abc\n  manifests: {}\n", want: []string{"tazuna.yaml:2: spec.context_matches: wanted a list, found text", "tazuna.yaml:3: spec.manifests: wanted a list, found a mapping"}},
		"number for text":   {text: "spec:\n  minimumSupportedTazunaVersion: 1.2\n", want: []string{"tazuna.yaml:2: spec.minimumSupportedTazunaVersion: wanted text, found a number"}},
		"bad pattern":       {text: "spec:\n  context_matches:\n  - ok\n  - '('\n", want: []string{"tazuna.yaml:4: spec.context_matches[1]: error parsing regexp: missing closing ): `(`"}},
		"bad mode":          {text: "spec:\n  context_match_mode: any\n", want: []string{`tazuna.yaml:2: spec.context_match_mode: wanted or, and; found "any"`}},
		"bad version":       {text: "spec:\n  minimumSupportedTazunaVersion: new\n", want: []string{`tazuna.yaml:2: spec.minimumSupportedTazunaVersion: wanted a semantic version such as 1.2.3, found "new"`}},
		"too old":           {text: "spec:\n  minimumSupportedTazunaVersion: v1.3.0\n", version: "1.2.9", want: []string{"tazuna.yaml:2: spec.minimumSupportedTazunaVersion: this file needs version v1.3.0 or newer, this is 1.2.9: install a newer kubectl-tazuna"}},
		"empty entry":       {text: "spec:\n  manifests:\n  - {}\n", want: []string{"tazuna.yaml:3: spec.manifests[0].type: missing", "tazuna.yaml:3: spec.manifests[0].path: missing", "tazuna.yaml:3: spec.manifests[0].name: missing"}},
		"null entry":        {text: "spec:\n  manifests:\n  -\n", want: []string{"tazuna.yaml:3: spec.manifests[0]: wanted a mapping, found nothing"}},
		"misspelt in entry": {text: "spec:\n  manifests:\n  - nmae: a\n    type: yaml\n    path: b\n", want: []string{`tazuna.yaml:3: spec.manifests[0]: unknown field "nmae"; did you mean "name"?`}},
		"unknown type": {
			text: "spec:\n  manifests:\n  - name: a\n    type: kustomise\n    path: b\n",
			want: []string{`tazuna.yaml:3: spec.manifests[0].type: type kustomise of manifest "a" is unknown; did you mean "kustomize"?; supported: kustomize, yaml`},
		},
		"options of another type": {
			text: "spec:\n  manifests:\n  - name: a\n    type: yaml\n    path: b\n    kustomize:\n      defaultNamespace: c\n",
			want: []string{"tazuna.yaml:7: spec.manifests[0].kustomize: these options belong to type kustomize, but the manifest has type yaml"},
		},
		"unknown option": {
			text: "spec:\n  manifests:\n  - name: a\n    type: yaml\n    path: b\n    yaml: {recurse: true}\n",
			want: []string{`tazuna.yaml:6: spec.manifests[0].yaml: unknown field "recurse"; did you mean "recursive"?`},
		},
		"quoted boolean": {
			text: "spec:\n  manifests:\n  - name: a\n    type: yaml\n    path: b\n    yaml: {recursive: 'true'}\n",
			want: []string{"tazuna.yaml:6: spec.manifests[0].yaml.recursive: wanted true or false, found text"},
		},
		"boolean word as text": {
			text: "spec:\n  manifests:\n  - name: on\n    type: yaml\n    path: b\n",
			want: []string{"tazuna.yaml:3: spec.manifests[0].name: wanted text, found the boolean word on: put it in quotes"},
		},
		"bad namespace": {
			text: "spec:\n  manifests:\n  - name: a\n    type: yaml\n    path: b\n    yaml: {defaultNamespace: A}\n",
			want: []string{`tazuna.yaml:6: spec.manifests[0].yaml.defaultNamespace: "A" is no name of a namespace: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`},
		},
		"name twice": {
			text: "spec:\n  manifests:\n  - {name: a, type: yaml, path: b}\n  - {name: b, type: yaml, path: b}\n  - {name: a, type: yaml, path: c}\n",
			want: []string{`tazuna.yaml:5: spec.manifests[2].name: manifest "a" is there twice, first on line 3`},
		},
		"everything at once, in the order of the file": {
			text: "kind: Tazona\nspec:\n  manifests:\n  - {name: A_b, type: yaml, path: b}\n  context_matches: 1\n",
			want: []string{
				`tazuna.yaml:1: kind: wanted Tazuna, found "Tazona"`,
				`tazuna.yaml:4: spec.manifests[0].name: the name "A_b" must consist of a-z, 0-9 and '-', starting and ending with a letter or digit; "a-b" would do`,
				"tazuna.yaml:5: spec.context_matches: wanted a list, found a number",
			},
		},
		"a mapping that contains itself": {
			text: "spec: &a\n  <<: *a\n",
			want: []string{"tazuna.yaml:2: more than 10000 aliases"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(test.text), "tazuna.yaml", ofVersion(test.version))
			require.Error(t, err)
			assert.Equal(t, strings.Join(test.want, "\n"), err.Error())
			var all *Error
			require.ErrorAs(t, err, &all)
			assert.Len(t, all.Findings, len(test.want))
		})
	}
}

// Merge keys of merge keys: without a bound this takes 2^40 steps.
func TestParseBoundsAliases(t *testing.T) {
	var b strings.Builder
	b.WriteString("spec:\n  manifests:\n  - &a0 {name: a}\n")
	last := "a0"
	for i := 1; i < 40; i++ {
		next := last + "x"
		b.WriteString("  - &" + next + " {<<: [*" + last + ", *" + last + "]}\n")
		last = next
	}
	_, err := Parse([]byte(b.String()), "tazuna.yaml", withTypes())
	require.ErrorContains(t, err, "more than 10000 aliases")
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "tazuna.yaml")
	require.NoError(t, os.WriteFile(path, []byte("spec: {manifests: [{name: a, type: yaml, path: ../objects}]}\n"), 0o600))

	f, err := Load(path, withTypes())
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(filepath.Dir(dir), "objects"), f.Tazuna.Spec.Manifests[0].Path,
		"a path is relative to the file, not to the working directory")

	_, err = Load(filepath.Join(dir, "none.yaml"), withTypes())
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, "none.yaml")
}

func TestPathsAreJoinedWithTheDirectoryOfTheFile(t *testing.T) {
	for file, want := range map[string]string{
		"tazuna.yaml":       "objects",
		"./tazuna.yaml":     "objects",
		"a/b/tazuna.yaml":   "a/b/objects",
		"../tazuna.yaml":    "../objects",
		"/etc/t/tazuna.yml": "/etc/t/objects",
	} {
		f, err := Parse([]byte("spec: {manifests: [{name: a, type: yaml, path: ./objects}]}"), file, withTypes())
		require.NoError(t, err)
		assert.Equal(t, want, f.Tazuna.Spec.Manifests[0].Path, file)
	}
	f, err := Parse([]byte("spec: {manifests: [{name: a, type: yaml, path: 'https://x/y'}]}"), "a/tazuna.yaml", withTypes())
	require.NoError(t, err)
	assert.Equal(t, "https://x/y", f.Tazuna.Spec.Manifests[0].Path, "a URL stays one, so that the build can name it")
}

// A type is a value that is passed in: nothing here knows which there are.
func TestTypesArePassedIn(t *testing.T) {
	type settings struct{ Depth string }
	demo := Type{Name: "demo", Block: "demo", Read: func(r Reader, block *yaml.Node, at string, m *Manifest) {
		o := &settings{}
		m.Options = o
		r.Mapping(block, at, Field{"depth", func(v *yaml.Node, at string) { o.Depth = r.Text(v, at) }})
	}}
	text := "spec:\n  manifests:\n  - {name: a, type: demo, path: b, demo: {depth: full}}\n"

	f, err := Parse([]byte(text), "tazuna.yaml", LoadOptions{Types: append(testTypes(), demo)})
	require.NoError(t, err)
	assert.Equal(t, &settings{Depth: "full"}, f.Tazuna.Spec.Manifests[0].Options)

	_, err = Parse([]byte(strings.ReplaceAll(text, "type: demo", "type: dem")), "tazuna.yaml", LoadOptions{Types: append(testTypes(), demo)})
	require.ErrorContains(t, err, `type dem of manifest "a" is unknown; did you mean "demo"?; supported: demo, kustomize, yaml`)
}

func FuzzParse(f *testing.F) {
	f.Add(complete)
	f.Add(accMerge)
	f.Add("spec: &a\n  <<: *a\n")
	f.Add("spec: {manifests: [&a [*a]]}\n")
	f.Add("{{")
	f.Add("{{ if .Environment }}spec: {}{{ end }}\nspec: {environments: {x: }, providers: [{name: a, type: envfile, envfile: {path: b}}]}")
	f.Add("spec: {manifests: [{includes: [{path: a}]}, {type: parallel, parallel: {children: [{type: yaml, path: a}]}}, {type: yaml, path: b, dependsOn: [a]}]}")
	f.Add("spec: {tests: [{type: WaitUntil, waitUntil: {resource: {apiVersion: v1, kind: a}, name: b, condition: c}}]}")
	f.Fuzz(func(t *testing.T, text string) {
		o := ofVersion("1.0.0")
		o.ReadFile = func(string) ([]byte, error) { return []byte(text), nil } // a file that includes itself
		o.Exists = func(string) bool { return false }
		file, err := Parse([]byte(text), "tazuna.yaml", o)
		if err != nil {
			assert.NotEmpty(t, err.Error())
			return
		}
		names := map[string]bool{}
		for _, m := range file.Tazuna.Spec.Manifests {
			require.NoError(t, CheckName(m.Name))
			require.False(t, names[m.Name], "names are unique")
			names[m.Name] = true
			require.Contains(t, typeNames(testTypes()), m.Type)
			require.NotEmpty(t, m.Path)
			require.Positive(t, m.Line)
		}
		_ = file.CheckContext("context")
		require.True(t, IsTazunaFile([]byte(text)), "what loads is recognised")
	})
}
