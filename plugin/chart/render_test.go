package chart

import (
	"context"
	"errors"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"

func TestRenderGivesTheEnginesRoots(t *testing.T) {
	c := chartOf(t, `
-- values.yaml --
color: red
-- notes/one.txt --
from a file
-- templates/a.yaml --
`+configMap+`data:
  release: {{ .Release.Name }}/{{ .Release.Namespace }}/{{ .Release.Revision }}/{{ .Release.IsInstall }}/{{ .Release.Service }}
  chart: {{ .Chart.Name }}-{{ .Chart.Version }}
  color: {{ .Values.color }}
  file: {{ .Files.Get "notes/one.txt" | trim }}
  kube: {{ .Capabilities.KubeVersion.Version }}
  apps: {{ .Capabilities.APIVersions.Has "apps/v1" | quote }}
  template: {{ .Template.Name }}
`)
	r := request()
	r.Values = map[string]any{"color": "blue"}
	r.Capabilities = Capabilities{KubeVersion: "v1.36.3-gke.100", APIVersions: []string{"v1"}}
	result := render(t, c, r)

	require.Equal(t, []string{"ConfigMap a"}, refs(result.Objects))
	assert.Equal(t, map[string]any{
		"release": "web/shop/1/true/Helm", "chart": "demo-0.1.0", "color": "blue", "file": "from a file",
		"kube": "v1.36.3-gke.100", "apps": "false", "template": "demo/templates/a.yaml",
	}, data(t, result.Objects[0]))
	assert.Equal(t, "demo/templates/a.yaml: document 1, line 1", result.Objects[0].Origin.String())
	assert.Equal(t, map[string]any{"color": "blue"}, r.Values, "the request is not changed")
	assert.Equal(t, map[string]any{"color": "red"}, c.Defaults())
	assert.Empty(t, result.Warnings)
}

func TestRenderUpgrade(t *testing.T) {
	c := chartOf(t, "-- templates/a.yaml --\n"+configMap+
		"data: {at: '{{ .Release.Revision }} {{ .Release.IsUpgrade }} {{ .Release.IsInstall }}'}\n")
	r := request()
	r.Release.Revision, r.Release.Upgrade = 4, true
	assert.Equal(t, "4 true false", data(t, render(t, c, r).Objects[0])["at"])
}

func TestRenderDefaultCapabilities(t *testing.T) {
	c := chartOf(t, "-- templates/a.yaml --\n"+configMap+
		`data: {kube: '{{ .Capabilities.KubeVersion.Version }}', apps: '{{ .Capabilities.APIVersions.Has "apps/v1" }}'}`+"\n")
	assert.Equal(t, map[string]any{"kube": DefaultKubeVersion, "apps": "true"}, data(t, render(t, c, request()).Objects[0]))
}

// TestDefaultKubeVersionIsOfTheLibraries holds the constant and go.mod together.
func TestDefaultKubeVersionIsOfTheLibraries(t *testing.T) {
	gomod, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	minor := DefaultKubeVersion[len("v1.") : len(DefaultKubeVersion)-len(".0")]
	assert.Contains(t, string(gomod), "k8s.io/client-go v0."+minor+".")
}

func TestRenderRefusesRequests(t *testing.T) {
	c := chartOf(t, "-- templates/a.yaml --\n"+configMap)
	tests := map[string]struct {
		change func(*Request)
		want   string
	}{
		"no name":       {func(r *Request) { r.Release.Name = "" }, "chart demo: the release has no name"},
		"capitals":      {func(r *Request) { r.Release.Name = "Web" }, `chart demo: release name "Web": wanted lower-case letters`},
		"root of Helm":  {func(r *Request) { r.Roots = map[string]any{"Values": 1} }, "chart demo: root .Values is the template engine's own"},
		"root's name":   {func(r *Request) { r.Roots = map[string]any{"a-b": 1} }, `chart demo: root "a-b": wanted a name that begins`},
		"kube version":  {func(r *Request) { r.Capabilities.KubeVersion = "banana" }, `chart demo: version of Kubernetes "banana"`},
		"54 characters": {func(r *Request) { r.Release.Name = "r23456789012345678901234567890123456789012345678901234" }, "has 54 characters, wanted at most 53"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := request()
			test.change(&r)
			_, err := c.Render(t.Context(), r)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func TestRenderLongNames(t *testing.T) {
	c := chartOf(t, "-- templates/a.yaml --\n"+configMap)
	r := request()
	r.Release.Name, r.LongNames = "a-namespace-with-many-characters.an-instance-of-24-chars", true
	render(t, c, r)
}

func TestLookup(t *testing.T) {
	c := chartOf(t, `
-- templates/a.yaml --
{{- $found := lookup "v1" "Secret" .Release.Namespace "keeps" }}
{{- $again := lookup "v1" "Secret" .Release.Namespace "keeps" }}
`+configMap+`data: {found: {{ dig "data" "password" "nothing" $found }}}
`)
	question := []Lookup{{APIVersion: "v1", Kind: "Secret", Namespace: "shop", Name: "keeps"}}

	result := render(t, c, request())
	assert.Equal(t, "nothing", data(t, result.Objects[0])["found"])
	assert.Equal(t, question, result.Lookups, "a caller can say that nobody answered")

	r := request()
	r.Lookup = func(_ context.Context, apiVersion, kind, namespace, name string) (map[string]any, error) {
		assert.Equal(t, question[0], Lookup{apiVersion, kind, namespace, name})
		return map[string]any{"data": map[string]any{"password": "c2VjcmV0"}}, nil
	}
	result = render(t, c, r)
	assert.Equal(t, "c2VjcmV0", data(t, result.Objects[0])["found"])

	forbidden := errors.New("secrets is forbidden")
	r.Lookup = func(context.Context, string, string, string, string) (map[string]any, error) {
		return nil, forbidden
	}
	_, err := c.Render(t.Context(), r)
	assert.EqualError(t, err, `chart demo: demo/templates/a.yaml:1:14: error calling lookup: secrets is forbidden, `+
		`in <lookup "v1" "Secret" .Release.Namespace "keeps">`)
	assert.ErrorIs(t, err, forbidden)
}

func TestStrictMissingKeys(t *testing.T) {
	c := chartOf(t, "-- templates/a.yaml --\n"+configMap+"data: {a: '[{{ .Values.absent }}]'}\n")
	assert.Equal(t, "[]", data(t, render(t, c, request()).Objects[0])["a"])

	r := request()
	r.Strict = true
	_, err := c.Render(t.Context(), r)
	assert.ErrorContains(t, err, `demo/templates/a.yaml:4:`)
	assert.ErrorContains(t, err, `map has no entry for key "absent"`)
}

func TestNoNetwork(t *testing.T) {
	c := chartOf(t, "-- templates/a.yaml --\n"+configMap+"data: {a: '[{{ getHostByName \"localhost\" }}]'}\n")
	assert.Equal(t, "[]", data(t, render(t, c, request()).Objects[0])["a"])
}

// TestRenderIsRepeatable: the same bytes again, from one chart, side by side.
func TestRenderIsRepeatable(t *testing.T) {
	c := chartOf(t, subCharts)
	first := render(t, c, request())
	results := make(chan *Result)
	for range 8 {
		go func() {
			result, err := c.Render(context.Background(), request())
			assert.NoError(t, err)
			results <- result
		}()
	}
	for range 8 {
		assert.Equal(t, first, <-results)
	}
}

// TestRenderLeaksNothing counts goroutines after 1,000 renders.
func TestRenderLeaksNothing(t *testing.T) {
	c := chartOf(t, "-- templates/a.yaml --\n"+configMap)
	before := runtime.NumGoroutine()
	for range 1000 {
		render(t, c, request())
	}
	for range 100_000 { // one that is done may not be gone yet
		if runtime.NumGoroutine() <= before {
			break
		}
		runtime.Gosched()
	}
	assert.LessOrEqual(t, runtime.NumGoroutine(), before)
}
