package chart

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestObjectsInOrderOfKinds(t *testing.T) {
	c := chartOf(t, `
-- templates/z.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: z}
---apiVersion: v1
kind: Namespace
metadata: {name: ns}
--- # a comment
apiVersion: demo.example/v1
kind: Unknown
metadata: {name: u}
---
-- templates/a.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
- {apiVersion: demo.example/v1, kind: Another, metadata: {name: x}}
-- templates/NOTES.txt --
{{ .Release.Name }}: this is no object
-- templates/empty.yaml --
# {{ .Release.Name }}
-- templates/_partial.yaml --
{{ fail "partials are not rendered" }}
`)
	result := render(t, c, request())
	var places []string
	for _, o := range result.Objects {
		places = append(places, o.Ref().String()+" "+o.Origin.String())
	}
	assert.Equal(t, []string{
		"Namespace ns demo/templates/z.yaml: document 2, line 4",
		"ConfigMap a demo/templates/a.yaml: document 2, line 8",
		"ConfigMap z demo/templates/z.yaml: document 1, line 1",
		"Deployment.apps d demo/templates/a.yaml: document 1, line 1",
		"Another.demo.example x demo/templates/a.yaml: document 2, line 9",
		"Unknown.demo.example u demo/templates/z.yaml: document 3, line 8",
	}, places)
}

func TestFailedNotesFail(t *testing.T) {
	c := chartOf(t, "-- templates/NOTES.txt --\n{{ fail \"set a host\" }}\n")
	_, err := c.Render(t.Context(), request())
	assert.EqualError(t, err, "chart demo: demo/templates/NOTES.txt:1:3: set a host", "many charts check their values there")
}

func TestRepeatedKeys(t *testing.T) {
	c := chartOf(t, "-- templates/a.yaml --\n# first\n---\n"+configMap+"data:\n  a: one\n  b: x\n  a: two\n")
	result := render(t, c, request())
	assert.Equal(t, map[string]any{"a": "two", "b": "x"}, data(t, result.Objects[0]))
	assert.Equal(t, `demo/templates/a.yaml: document 2, line 9: the key "a" is given twice, first on line 5, at "  a:"; the last one is used`, warnings(result))

	r := request()
	r.StrictKeys = true
	_, err := c.Render(t.Context(), r)
	assert.ErrorContains(t, err, `demo/templates/a.yaml: document 2, line 9: the key "a" is given twice`)
}

func TestOutputErrors(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"no kind": {"apiVersion: v1\nmetadata: {name: a}\n", "document 1, line 1: "},
		"syntax":  {configMap + "data:\n  password: " + secret + "\n  broken: [a\n", "document 1, line "},
		"all of them": {
			"a: 1\n---\n" + configMap + "---\nb: 2\n", "6 problems:\n",
		},
		"number as weight": {
			"apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: {helm.sh/hook: test, helm.sh/hook-weight: 5}}\n",
			"demo/templates/a.yaml: document 1, line 3: Pod: the value must be text, found a number; quote it",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := chartOf(t, "-- templates/a.yaml --\n"+test.text).Render(t.Context(), request())
			var output *OutputError
			require.ErrorAs(t, err, &output)
			assert.ErrorContains(t, err, "chart demo: output of templates: ")
			assert.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), secret)
		})
	}
}

func TestBrokenCRD(t *testing.T) {
	_, err := chartOf(t, "-- crds/a.yaml --\n{{ .Values.a }}\n").Render(t.Context(), request())
	assert.ErrorContains(t, err, "chart demo: output of templates: demo/crds/a.yaml: document 1, line 1: ")
}

func TestShownLine(t *testing.T) {
	lines := []string{"  key: value", "- item", "map:", "plain " + secret, "  a.b/c: "}
	for line, want := range map[int]string{0: "", 1: "  key:", 2: "", 3: "map:", 4: "", 5: "  a.b/c:", 6: ""} {
		assert.Equal(t, want, shownLine(lines, line), "line %d", line)
	}
}
