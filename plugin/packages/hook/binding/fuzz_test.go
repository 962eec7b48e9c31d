package binding

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzConfig looks for text that makes a parser panic, or that gives a Config
// without what its readers rely on.
func FuzzConfig(f *testing.F) {
	files, err := filepath.Glob("testdata/J09/*")
	require.NoError(f, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Add([]byte(batchText))
	f.Add([]byte("configVersion: v1\nonStartup: 1\nbeforeHelm: -1\nsettings: {executionMinInterval: 3s}\n"))
	f.Add([]byte(`configVersion: v1
kubernetes: [{kind: Pod, labelSelector: {matchExpressions: [{key: a, operator: In, values: [b]}]}, jqFilter: .a,
  fieldSelector: {matchExpressions: [{field: a, operator: "!=", value: ""}]}, namespace: {labelSelector: {matchLabels: {a: b}}}}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, o := range []Options{shop(), {Rule: Any}} {
			if c, _, err := Parse(data, o); err == nil {
				sound(t, c, o)
			}
			b, _, err := ParseBatch(data, o)
			for i := range b.Hooks {
				if err == nil {
					sound(t, b.Hooks[i].Config, o)
				}
			}
		}
	})
}

func sound(t *testing.T, c Config, o Options) {
	t.Helper()
	require.NotZero(t, len(c.Orders)+len(c.Schedules)+len(c.Kubernetes))
	for _, s := range c.Schedules {
		require.NotNil(t, s.Times)
		require.NotEmpty(t, s.Name)
		require.NotEmpty(t, s.Queue)
	}
	for _, k := range c.Kubernetes {
		require.NotEmpty(t, k.Name)
		require.NotEmpty(t, k.Kind)
		require.NotEmpty(t, k.Queue)
		require.NotNil(t, k.Labels)
		if o.Rule == Instance {
			require.Equal(t, []string{o.Namespace}, k.Namespaces)
			require.Nil(t, k.NamespaceLabels)
		}
	}
}
