package helmfile

import (
	"errors"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/build/charts"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
)

const complete = `repositories:
- {name: web, url: https://charts.example.com, username: me, password: {{ .Values.password }}}
- {name: reg, url: registry.example.com/charts, oci: true}
helmDefaults: {wait: true}
releases:
{{- range .Values.names }}
- name: {{ . }}
  namespace: shop
  chart: web/app
  version: ^1
  labels: {a: b}
  values:
  - values.yaml
  - env: {{ $.Environment.Name }}
    deep: {{ $.StateValues.deep | toYaml | nindent 6 }}
{{- end }}
`

func vars() Values {
	var v Values
	v.Set("names", []any{"one", "two"}, false)
	v.Set("deep", map[string]any{"x": "1"}, false)
	v.Set("password", "hunter22", true)
	return v
}

func TestParse(t *testing.T) {
	f, err := Parse([]byte(complete), "hf/helmfile.yaml", Options{Environment: "prod", Vars: vars()})
	require.NoError(t, err)
	assert.Equal(t, []Repository{
		{Name: "web", URL: "https://charts.example.com", Username: "me", Password: "hunter22"},
		{Name: "reg", URL: "registry.example.com/charts", OCI: true},
	}, f.Repositories)
	require.Len(t, f.Releases, 2)
	r := f.Releases[1]
	assert.Equal(t, "two", r.Name)
	assert.Equal(t, 7, r.Line, "the line of the file, however often it is repeated")
	assert.Equal(t, ValuesOf{File: "values.yaml"}, r.Values[0])
	assert.Equal(t, "hf/helmfile.yaml:14", r.Values[1].Where)
	var places []string
	for _, w := range f.Warnings {
		places = append(places, w.String())
	}
	assert.Contains(t, places[0], "hf/helmfile.yaml:4: helmDefaults: has no effect here")
	assert.Contains(t, places[1], "hf/helmfile.yaml:11: releases[0].labels: has no effect here")

	values := map[string]any{"env": "old", "kept": true}
	read := func(path string) ([]byte, error) {
		assert.Equal(t, "hf/values.yaml", path)
		return []byte("env: file\nlist: [1]\n"), nil
	}
	for _, v := range r.Values {
		values, err = v.Merge(values, "hf", read)
		require.NoError(t, err)
	}
	assert.Equal(t, map[string]any{"env": "prod", "kept": true, "list": []any{float64(1)}, "deep": map[string]any{"x": "1"}}, values)
	_, err = r.Values[0].Merge(nil, "hf", func(string) ([]byte, error) { return nil, errors.New("gone") })
	require.EqualError(t, err, "read values: gone")
}

func TestParseRefuses(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"nothing":           {"", "h.yaml: the file is empty: wanted a helmfile with releases"},
		"not understood":    {"bases: [a]\n", "h.yaml:1: bases: this part of helmfile is not understood, and may change what is rendered"},
		"of a release":      {"releases:\n- {name: a, chart: b, set: []}\n", "h.yaml:2: releases[0].set: this part of helmfile is not understood"},
		"a template":        {"releases:\n- {name: a, chart: b, values: [v.yaml.gotmpl]}\n", "h.yaml:2: releases[0].values[0]: templates of values files are not understood"},
		"no chart":          {"releases:\n- {name: a}\n", "h.yaml:2: releases[0].chart: missing"},
		"no name":           {"releases:\n- {chart: a}\n", "h.yaml:2: releases[0].name: missing"},
		"no url":            {"repositories:\n- {name: a}\n", "h.yaml:2: repositories[0].url: missing"},
		"key twice":         {"releases:\n- {name: a, chart: b, values: [{x: 1, x: 2}]}\n", `key "x" is there twice`},
		"the environment":   {"a: {{ env \"HOME\" }}\n", `h.yaml:1: template: function "env" not defined`},
		"expandenv":         {"a: {{ expandenv \"$HOME\" }}\n", `function "expandenv" not defined`},
		"the network":       {"a: {{ getHostByName \"x\" }}\n", `function "getHostByName" not defined`},
		"a secret in fail":  {"a: {{ fail .Values.password }}\n", "h.yaml:1: template:"},
		"a secret as field": {"{{ .Values.password }}: [\n", "h.yaml:"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(test.text), "h.yaml", Options{Vars: vars()})
			require.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), "hunter22")
		})
	}
	f, err := Parse([]byte("bases: [a]\nreleases: [{name: a, chart: b, set: []}]\n"), "h.yaml", Options{Lenient: true})
	require.NoError(t, err)
	assert.Len(t, f.Warnings, 2)
}

func TestMissingVariablesAreEmpty(t *testing.T) {
	f, err := Parse([]byte("releases:\n- {name: a{{ .Values.none }}, chart: '{{ .Values.deep.none }}b{{ .Environment.Name }}'}\n"), "h.yaml", Options{Vars: vars()})
	require.NoError(t, err)
	assert.Contains(t, f.Releases[0].Chart, "bdefault")
}

func TestSource(t *testing.T) {
	f := &File{Path: "hf/helmfile.yaml", Repositories: []Repository{
		{Name: "web", URL: "https://charts.example.com", Username: "me", Password: "p"},
		{Name: "reg", URL: "oci://registry.example.com/charts/", OCI: true},
		{Name: "odd", URL: "ftp://x"},
	}}
	for chart, want := range map[string]charts.Source{
		"./local":         {Path: "hf/local"},
		"../up":           {Path: "up"},
		"/abs":            {Path: "/abs"},
		"unknown/chart":   {Path: "hf/unknown/chart"},
		"web/app":         {Name: "app", Version: "1", Repository: "https://charts.example.com", Username: "me", Password: "p"},
		"reg/app":         {Name: "oci://registry.example.com/charts/app", Version: "1"},
		"oci://a.b/c/app": {Name: "oci://a.b/c/app", Version: "1"},
	} {
		got, err := f.Source(Release{Chart: chart, Version: "1"})
		require.NoError(t, err, chart)
		assert.Equal(t, want, got, chart)
	}
	_, err := f.Source(Release{Chart: "odd/app"})
	require.ErrorContains(t, err, `repository "odd": repository ftp://x`)
}

func readVars(t *testing.T, text string) (all []Var, err error) {
	t.Helper()
	_, err = config.ReadDocument([]byte(text), "t.yaml", "vars", false, func(r config.Reader, n *yaml.Node) { all = ReadVars(r, n, "vars") })
	return all, err
}

func TestReadVars(t *testing.T) {
	all, err := readVars(t, `
a: {from: env, env: HOME}
b: {from: static, static: ""}
c: {from: static, staticSlice: [x, z]}
d: {from: static, staticMap: {k: v}}
e: {from: op, op: {key: label, vault: v, item: i, field: f}}
f: {from: op, op: {key: id, vault: v, item: i, field: f}}
`)
	require.NoError(t, err)
	assert.Equal(t, []Var{
		{Name: "a", Env: "HOME"},
		{Name: "b", Static: ""},
		{Name: "c", Static: []any{"x", "z"}},
		{Name: "d", Static: map[string]any{"k": "v"}},
		{Name: "e", OnePassword: &OnePassword{Vault: "v", Item: "i", Field: "f", Label: true}},
		{Name: "f", OnePassword: &OnePassword{Vault: "v", Item: "i", Field: "f"}},
	}, all)
	assert.True(t, all[0].Secret())
	assert.False(t, all[1].Secret())

	for text, want := range map[string]string{
		"a: {}":                   "t.yaml:1: vars.a.from: missing",
		"a: {from: vault}":        `vars.a.from: wanted env, op, static; found "vault"`,
		"a: {from: env}":          "vars.a.env: missing",
		"a: {from: env, env: ''}": "vars.a.env: missing",
		"a: {from: static}":       "wanted exactly one of static, staticSlice and staticMap, found 0",
		"a: {from: static, static: x, staticSlice: []}": "found 2",
		"a: {from: env, env: A, static: x}":             "wanted a value from env, found one from static too",
		"a: {from: op}":                                 "vars.a.op: missing",
		"a: {from: op, op: {key: id}}":                  "t.yaml:1: vars.a.op.vault: missing\nt.yaml:1: vars.a.op.item: missing\nt.yaml:1: vars.a.op.field: missing",
		"a: {from: op, op: {key: name, vault: v}}":      `vars.a.op.key: wanted id, label; found "name"`,
		"a: {form: env}":                                `unknown field "form"; did you mean "from"?`,
	} {
		_, err := readVars(t, text)
		require.ErrorContains(t, err, want, text)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(complete)
	f.Add("{{ .Values.password }}")
	f.Add("releases: [{name: a, chart: b, values: [{x: 1}, c.yaml]}]")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 || regexp.MustCompile(`until|repeat|seq|derive|gen|rand|bcrypt|htpasswd|encrypt`).MatchString(text) {
			return // sprig has functions that take as long as one asks for
		}
		file, err := Parse([]byte(text), "h.yaml", Options{Vars: vars()})
		if err != nil {
			require.NotContains(t, err.Error(), "hunter22")
			return
		}
		for _, r := range file.Releases {
			require.NotEmpty(t, r.Name)
			_, _ = file.Source(r)
		}
	})
}
