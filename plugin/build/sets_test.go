package build

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
)

// The sets of test/testdata are in the shape of what people deploy. They must
// load, build and finish without a warning; test/e2e applies them.
func TestSets(t *testing.T) {
	tests := map[string]struct {
		objects int
		kinds   []string
	}{
		"ingress-controller": {41, []string{"Deployment", "IngressClass", "ValidatingWebhookConfiguration", "HorizontalPodAutoscaler", "Job"}},
		"certificates":       {48, []string{"CustomResourceDefinition", "ClusterIssuer", "MutatingWebhookConfiguration", "Lease"}},
		"monitoring":         {47, []string{"StatefulSet", "DaemonSet", "AlertRule", "CronJob", "ResourceQuota"}},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			out := buildSet(t, name)
			objects, warnings := flat(out)
			assert.Empty(t, warnings)
			assert.Len(t, objects, want.objects, refs(objects))
			assert.GreaterOrEqual(t, len(objects), 30)
			var kinds []string
			for _, o := range objects {
				kinds = append(kinds, o.GVK().Kind)
				assert.NotContains(t, o.Origin.File, "\n")
				assert.FileExists(t, o.Origin.File)
			}
			slices.Sort(kinds)
			for _, kind := range want.kinds {
				assert.Contains(t, slices.Compact(kinds), kind)
			}
		})
	}
}

// buildSet does what a command does with a tazuna.yaml.
func buildSet(t testing.TB, name string) []Result {
	t.Helper()
	f, err := config.Load(filepath.Join("..", "..", "test", "testdata", "sets", name, "tazuna.yaml"), config.LoadOptions{Types: ConfigTypes()})
	require.NoError(t, err)
	var all []Result
	for _, m := range f.Tazuna.Spec.Manifests {
		r, err := Builder{}.Build(t.Context(), FromConfig(m))
		require.NoError(t, err)
		all = append(all, r)
	}
	out, err := Finish(t.Context(), all, Builtin{}, "default")
	require.NoError(t, err)
	return out
}

func BenchmarkSets(b *testing.B) {
	for _, name := range []string{"ingress-controller", "certificates", "monitoring"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				buildSet(b, name)
			}
		})
	}
}
