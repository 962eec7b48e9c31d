package plan

import (
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func TestExtractTakesWhatTheSetHas(t *testing.T) {
	body := map[string]any{
		"metadata": map[string]any{"labels": map[string]any{"ours": "1", "theirs": "2"}, "uid": "u"},
		"spec": map[string]any{
			"replicas": int64(2), "paused": false,
			"args": []any{"a", "b"},
			"containers": []any{
				map[string]any{"name": "side", "image": "s"},
				map[string]any{"name": "web", "image": "w", "imagePullPolicy": "Always"},
			},
			"finalizers": []any{"x", "y"},
		},
	}
	web := fieldpath.KeyByFields("name", "web")
	set := fieldpath.NewSet(
		fieldpath.MakePathOrDie("metadata", "labels", "ours"),
		fieldpath.MakePathOrDie("spec", "replicas"),
		fieldpath.MakePathOrDie("spec", "args"),
		fieldpath.MakePathOrDie("spec", "gone"),
		fieldpath.MakePathOrDie("spec", "containers", web),
		fieldpath.MakePathOrDie("spec", "containers", web, "name"),
		fieldpath.MakePathOrDie("spec", "containers", web, "image"),
	)
	require.Equal(t, map[string]any{
		"metadata": map[string]any{"labels": map[string]any{"ours": "1"}},
		"spec": map[string]any{
			"replicas": int64(2), "args": []any{"a", "b"},
			"containers": []any{map[string]any{"name": "web", "image": "w"}},
		},
	}, extract(nil, body, set))
}
