package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestExpand(t *testing.T) {
	tests := map[string]struct {
		text, environment, want string
		lines                   []int
	}{
		"no template":     {text: "a: b\n", want: "a: b\n"},
		"the variable":    {text: "a: {{ .Environment }}\nb: c\n", environment: "prod", want: "a: prod\nb: c\n", lines: []int{1, 2, 3}},
		"no environment":  {text: "a: x{{ .Environment }}\n", want: "a: x\n", lines: []int{1, 2}},
		"lines that go":   {text: "a: 1\n{{ if eq .Environment \"prod\" }}\nb: 2\n{{ end }}\nc: 3\n", want: "a: 1\n\nc: 3\n", lines: []int{1, 2, 5, 6}},
		"lines that stay": {text: "{{- if .Environment }}\nb: 2\n{{- else }}\nb: 3\n{{- end }}\nc: 4\n", environment: "x", want: "\nb: 2\nc: 4\n", lines: []int{1, 2, 6, 7}},
		"definitions":     {text: "{{ define \"x\" }}e: {{ . }}{{ end }}a: 1\n{{ template \"x\" .Environment }}\n", environment: "y", want: "a: 1\ne: y\n", lines: []int{1, 2, 3}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, lines, err := expand(test.text, plainTemplate(), variables{Environment: test.environment})
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
			assert.Equal(t, test.lines, lines)
		})
	}
}

func TestTemplatesOfAFile(t *testing.T) {
	o := withTypes()
	o.Environment = "prod"
	text := `spec:
  environments: {prod: {context_matches: [^prod-]}}
  manifests:
{{- if eq .Environment "prod" }}
  - name: only-prod
    type: yaml
    path: overlays/{{ .Environment }}
{{- end }}
  - name: all
    type: yaml
    path: all
    depth: 1
`
	_, err := Parse([]byte(text), "tazuna.yaml", o)
	require.EqualError(t, err, `tazuna.yaml:12: spec.manifests[1]: unknown field "depth"; known: name, description, type, path, tags, dependsOn, tests, includes, parallel, kustomize, yaml`,
		"the line is that of the file, not of what the template made of it")

	o.Lenient = true
	f, err := Parse([]byte(text), "tazuna.yaml", o)
	require.NoError(t, err)
	m := f.Tazuna.Spec.Manifests
	require.Len(t, m, 2)
	assert.Equal(t, "overlays/prod", m[0].Path)
	assert.Equal(t, 5, m[0].Line)
	assert.Equal(t, 9, m[1].Line)
}

func TestTemplatesThatFail(t *testing.T) {
	for text, want := range map[string]string{
		"spec:\n  {{ if }}\n":              "t.yaml:2: template: missing value for if",
		"spec:\n  {{ .Name }}\n":           `t.yaml:2: template: <.Name>: can't evaluate field Name in type config.variables`,
		"spec: {{ env \"HOME\" }}\n":       `t.yaml:1: template: function "env" not defined`,
		"spec: {}\n\n{{ .Environment.X }}": `t.yaml:3: template: <.Environment.X>: can't evaluate field X in type string`,
		"spec: {{ 1 }}\x00\n":              "t.yaml: template: the file holds a NUL byte",
	} {
		_, err := Parse([]byte(text), "t.yaml", withTypes())
		assert.EqualError(t, err, want)
	}
}

func TestTemplatesAreRecognisedAsTazunaFiles(t *testing.T) {
	for text, want := range map[string]bool{
		"spec:\n  a: {{ .Environment }}\n":                             true,
		"kind: Tazuna # ours\nspec:\n  a: {{ .Environment }}\n":        true,
		"kind: 'Tazuna'\nspec:\n  a: {{ .Environment }}\n":             true,
		"kind: Pod\nspec:\n  a: {{ .Environment }}\n":                  false,
		"apiVersion: v1\nspec:\n  a: {{ .Environment }}\n":             false,
		"data:\n  spec: {{ .Environment }}\n":                          false,
		"{{- if .Environment }}\nkind: Tazuna\n{{- end }}\nspec: {}\n": true,
	} {
		assert.Equal(t, want, IsTazunaFile([]byte(text)), text)
	}
}
