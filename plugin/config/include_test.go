package config

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// disk stands in for the files that a tazuna.yaml includes, and for what is there.
func disk(files map[string]string, paths ...string) LoadOptions {
	o := withTypes()
	o.ReadFile = func(path string) ([]byte, error) {
		text, ok := files[path]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return []byte(text), nil
	}
	o.Exists = func(path string) bool {
		for _, p := range paths {
			if p == path {
				return true
			}
		}
		return false
	}
	return o
}

func TestIncludes(t *testing.T) {
	root := `spec:
  context_matches: [eu]
  providers: [{name: a, type: envfile, envfile: {path: a.env}}]
  manifests:
  - {name: first, type: yaml, path: first}
  - includes: [{path: net/tazuna.yaml}, {path: app/tazuna.yaml}]
  - {name: last, type: yaml, path: last, dependsOn: [cni]}
`
	o := disk(map[string]string{
		"cluster/tazuna.yaml": root,
		"cluster/net/tazuna.yaml": `spec:
  minimumSupportedTazunaVersion: 0.1.0
  context_matches: [^prod]
  manifests:
  - {name: cni, type: yaml, path: cni-{{ .Environment }}}
  providers: [{name: b, type: envfile, envfile: {path: b.env}}]
  tests:
  - {type: ExistNonExist, existNonExist: {resource: {apiVersion: v1, kind: Namespace}, name: a, shouldExist: true}}
`,
		"cluster/app/tazuna.yaml": "spec: {manifests: [{name: app, type: yaml, path: ../shared}]}",
	})
	o.Environment, o.Lenient = "x", true
	f, err := Load("cluster/tazuna.yaml", o)
	require.NoError(t, err)
	var paths []string
	for _, m := range f.Tazuna.Spec.Manifests {
		paths = append(paths, m.Name+" "+m.Path+" "+m.File)
	}
	assert.Equal(t, []string{
		"first cluster/first cluster/tazuna.yaml",
		"cni cluster/net/cni-x cluster/net/tazuna.yaml",
		"app cluster/shared cluster/app/tazuna.yaml",
		"last cluster/last cluster/tazuna.yaml",
	}, paths, "in the place of the entry, with paths relative to the including file")
	assert.Equal(t, []Provider{
		{Name: "a", Type: ProviderEnvFile, Path: "cluster/a.env"}, {Name: "b", Type: ProviderEnvFile, Path: "cluster/net/b.env"},
	}, f.Tazuna.Spec.Providers, "its providers count")
	assert.Len(t, f.Tazuna.Spec.Tests, 1, "its tests count")
	require.NoError(t, f.CheckContext("prod-eu"))
	require.Error(t, f.CheckContext("prod-us"))
	require.ErrorContains(t, f.CheckContext("dev-eu"), "cluster/net/tazuna.yaml:3", "its guard counts")
}

func TestIncludesThatFail(t *testing.T) {
	tests := map[string]struct {
		entry string
		want  string
	}{
		"missing":     {"{includes: [{path: none.yaml}]}", "tazuna.yaml:3: spec.manifests[0].includes[0].path: none.yaml can't be read: file does not exist"},
		"empty path":  {"{includes: [{path: ''}]}", "tazuna.yaml:3: spec.manifests[0].includes[0].path: missing"},
		"no path":     {"{includes: [{}]}", "tazuna.yaml:3: spec.manifests[0].includes[0].path: missing"},
		"nested":      {"{includes: [{path: nested.yaml}]}", "nested.yaml:1: spec.manifests[0].includes[0].path: leaf.yaml is included by an included file: include it from tazuna.yaml"},
		"faulty":      {"{includes: [{path: faulty.yaml}]}", `faulty.yaml:2: spec: unknown field "manifest"; did you mean "manifests"?`},
		"too new":     {"{includes: [{path: new.yaml}]}", "new.yaml:1: spec.minimumSupportedTazunaVersion: this file needs version 9.0.0 or newer, this is 1.0.0: install a newer kubectl-tazuna"},
		"other keys":  {"{includes: [{path: leaf.yaml}], type: yaml, tags: [a]}", "tazuna.yaml:3: spec.manifests[0].type: has no effect in an entry with includes\ntazuna.yaml:3: spec.manifests[0].tags: has no effect in an entry with includes"},
		"same name":   {"{includes: [{path: leaf.yaml}, {path: leaf2.yaml}]}", `leaf2.yaml:1: spec.manifests[0].name: manifest "leaf" is there twice, first in leaf.yaml, line 1`},
		"no document": {"{includes: [{path: empty.yaml}]}", "empty.yaml: the file is empty: wanted a Tazuna document with a spec"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := disk(map[string]string{
				"tazuna.yaml": "spec:\n  manifests:\n  - " + test.entry + "\n",
				"nested.yaml": "spec: {manifests: [{includes: [{path: leaf.yaml}]}]}",
				"leaf.yaml":   "spec: {manifests: [{name: leaf, type: yaml, path: leaf}]}",
				"leaf2.yaml":  "spec: {manifests: [{name: leaf, type: yaml, path: leaf}]}",
				"faulty.yaml": "spec:\n  manifest: []\n",
				"empty.yaml":  "# nothing\n",
				"new.yaml":    "spec: {minimumSupportedTazunaVersion: 9.0.0}",
			})
			o.Version = "1.0.0"
			_, err := Load("tazuna.yaml", o)
			require.EqualError(t, err, test.want)
		})
	}
}

// Older versions joined the paths of an included file with the directory of the
// root: such files still work, with a warning.
func TestOlderPathsOfIncludes(t *testing.T) {
	files := map[string]string{
		"tazuna.yaml":     "spec: {manifests: [{includes: [{path: net/tazuna.yaml}]}]}",
		"net/tazuna.yaml": "spec: {manifests: [{name: cni, type: yaml, path: net/cni}]}",
	}
	for name, test := range map[string]struct {
		there   []string
		path    string
		warning string
	}{
		"neither is there": {nil, "net/net/cni", ""},
		"the new one":      {[]string{"net/net/cni"}, "net/net/cni", ""},
		"the older one":    {[]string{"net/cni"}, "net/cni", "net/tazuna.yaml:1: spec.manifests[0].path: net/cni is read, relative to tazuna.yaml as in older versions: write it relative to this file"},
		"both":             {[]string{"net/cni", "net/net/cni"}, "net/net/cni", "net/tazuna.yaml:1: spec.manifests[0].path: net/net/cni is read, which is relative to this file; older versions would read net/cni"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Load("tazuna.yaml", disk(files, test.there...))
			require.NoError(t, err)
			assert.Equal(t, test.path, f.Tazuna.Spec.Manifests[0].Path)
			if test.warning == "" {
				assert.Empty(t, f.Warnings)
				return
			}
			require.Len(t, f.Warnings, 1)
			assert.Equal(t, test.warning, f.Warnings[0].String())
		})
	}
}

func TestParallel(t *testing.T) {
	f, err := Parse([]byte(`spec:
  manifests:
  - name: base
    type: parallel
    path: .
    tags: [b]
    parallel:
      children:
      - {type: yaml, path: a, tags: [a]}
      - {name: two, type: yaml, path: b}
  - {name: app, type: yaml, path: c, dependsOn: [base]}
`), "tazuna.yaml", withTypes())
	require.NoError(t, err)
	m := f.Tazuna.Spec.Manifests
	require.Len(t, m, 3)
	assert.Equal(t, "base-1", m[0].Name)
	assert.Equal(t, []string{"a", "b"}, m[0].Tags)
	assert.Equal(t, "two", m[1].Name)
	assert.Equal(t, []string{"base-1", "two"}, m[2].DependsOn)
	require.Len(t, f.Warnings, 1)
	assert.Contains(t, f.Warnings[0].String(), "tazuna.yaml:3: spec.manifests[0]: type parallel is obsolete")

	_, err = Parse([]byte("spec: {manifests: [{type: parallel, kustomize: {}}]}"), "tazuna.yaml", withTypes())
	require.ErrorContains(t, err, "tazuna.yaml:1: spec.manifests[0].kustomize: has no effect in an entry of type parallel\ntazuna.yaml:1: spec.manifests[0].parallel.children: missing")
}
