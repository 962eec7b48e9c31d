package chart

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRoots: further roots are there in every template of the chart and of its
// sub-charts, however deep, and in what they include.
func TestRoots(t *testing.T) {
	c := chartOf(t, `
-- templates/_helpers.tpl --
{{- define "who" }}{{ .Application.Name }}{{ end }}
-- templates/a.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data: {who: {{ include "who" . }}, zone: {{ .Platform.zone }}, tpl: {{ tpl "{{ .Platform.zone }}" . }}}
-- templates/x/y/z/~/~/~/~/deep.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: deep}
data: {who: {{ .Application.Name }}, kept: {{ .Application.Added | default "nothing" }}}
{{- $_ := set .Application "Added" "by a template" }}
-- charts/sub/Chart.yaml --
{apiVersion: v2, name: sub, version: 0.1.0}
-- charts/sub/templates/s.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: sub}
data: {who: {{ .Application.Name }}, chart: {{ .Chart.Name }}, added: {{ .Application.Added }}}
-- charts/lib/Chart.yaml --
{apiVersion: v2, name: lib, version: 0.1.0, type: library}
-- charts/lib/templates/_lib.tpl --
{{- define "lib.zone" }}{{ .Platform.zone }}{{ end }}
`)
	r := request()
	r.Roots = map[string]any{
		"Application": map[string]any{"Name": "shop"},
		"Platform":    map[string]any{"zone": "eu"},
	}
	for range 2 { // what a template adds ends with the render
		result := render(t, c, r)
		require.Equal(t, []string{"ConfigMap sub", "ConfigMap a", "ConfigMap deep"}, refs(result.Objects))
		assert.Equal(t, map[string]any{"who": "shop", "chart": "sub", "added": "by a template"}, data(t, result.Objects[0]))
		assert.Equal(t, map[string]any{"who": "shop", "zone": "eu", "tpl": "eu"}, data(t, result.Objects[1]))
		assert.Equal(t, map[string]any{"who": "shop", "kept": "nothing"}, data(t, result.Objects[2]))
	}
	assert.Equal(t, map[string]any{"Name": "shop"}, r.Roots["Application"])
}
