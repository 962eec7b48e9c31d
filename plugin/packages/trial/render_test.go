//go:build linux || darwin

package trial

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/offline"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/render"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schema"
)

// TestGolden renders the packages for tests with all of their settings used, after
// their hooks have run, and twice: the second is the same byte for byte.
func TestGolden(t *testing.T) {
	for name, c := range map[string]struct {
		settings map[string]any
		objects  string
	}{
		"web": {
			settings: map[string]any{
				"replicas": int64(3), "autoscaling": map[string]any{"enabled": true}, "banner": "Maintenance on Sunday",
				"upstreams": map[string]any{"orders": map[string]any{"url": "http://orders:8080"}},
			},
			objects: "{apiVersion: v1, kind: Service, metadata: {name: prices, labels: {web.example.com/part: backend}}, spec: {ports: [{port: 81}]}}",
		},
		"store": {
			settings: map[string]any{
				"storage": map[string]any{"size": "10Gi"}, "users": []any{map[string]any{"name": "reader", "readOnly": true}, map[string]any{"name": "writer"}},
				"backup": map[string]any{"retention": map[string]any{"daily": map[string]any{}, "monthly": map[string]any{"keep": int64(12)}}},
			},
			objects: members,
		},
		"dashboards": {
			settings: map[string]any{
				"smtp":    map[string]any{"host": "mail.example.com", "password": "correct-horse"},
				"folders": map[string]any{"team": []any{"latency", "errors"}},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := directory(t, name)
			b, findings, err := bundle.Read(os.DirFS(dir))
			require.NoError(t, err)
			require.Empty(t, findings)
			p, findings, err := render.Prepare(t.Context(), b, render.Inputs{Settings: c.settings})
			require.NoError(t, err)
			require.Empty(t, findings)
			set := loaded(t, dir)
			cluster, err := offline.Load(t.Context(), set, []byte(c.objects), "objects.yaml", "default")
			require.NoError(t, err)
			h := &Hooks{
				Package: name, Runner: runner(t), Cluster: cluster, Settings: p.Settings, Values: p.Values, Masker: object.DefaultMasker(),
				CheckValues: func(v map[string]any) error { return p.Sources.Check(t.Context(), v, schema.Check{}) },
			}
			require.False(t, runs(t, h, Reconciliation(set)).Failed())
			p.Values = h.Values

			first := rendered(t, p)
			assert.Equal(t, string(first), string(rendered(t, p)))
			golden(t, filepath.Join("rendered", name+".yaml"), first)
		})
	}
}

// rendered is the manifest with masked Secrets.
func rendered(t *testing.T, p *render.Prepared) []byte {
	t.Helper()
	r, err := p.Render(t.Context(), render.Request{Instance: render.Instance{Namespace: "default", Name: "shop"}})
	require.NoError(t, err)
	for _, o := range r.All() {
		for key, value := range object.DefaultMasker().One(o.Body) {
			o.Body[key] = value
		}
	}
	text, err := r.Manifest()
	require.NoError(t, err)
	for _, e := range r.Endpoints {
		text = append(text, "# endpoint: "+e.URL+" "+e.Description+"\n"...)
	}
	return text
}
