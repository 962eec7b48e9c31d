package inventory

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

func TestJudge(t *testing.T) {
	job := map[string]any{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": map[string]any{"name": "once", "namespace": "a"},
		"spec": map[string]any{"ttlSecondsAfterFinished": int64(1)},
	}
	dying := map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": "c", "deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": []any{"a/b"}},
	}
	misspelt := map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": "c", "annotations": map[string]any{"kapp.k14s.io/update-strategy": "nonsense"}},
	}
	plain := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "c"}}
	for name, test := range map[string]struct {
		entry state.Entry
		found Found
		want  string
	}{
		"there":                    {found: Found{Object: &unstructured.Unstructured{Object: plain}}, want: Ready},
		"not there":                {want: Missing},
		"can't be read":            {found: Found{Err: errors.New("forbidden")}, want: Unknown},
		"in deletion":              {found: Found{Object: &unstructured.Unstructured{Object: dying}}, want: NotReady},
		"annotation nobody knows":  {found: Found{Object: &unstructured.Unstructured{Object: misspelt}}, want: Unknown},
		"has run and is gone":      {entry: state.Entry{ContentHash: "x", Body: job}, want: Ready},
		"was never applied":        {entry: state.Entry{Body: job}, want: Missing},
		"a job in its first steps": {entry: state.Entry{ContentHash: "x", Body: job}, found: Found{Object: &unstructured.Unstructured{Object: job}}, want: NotReady},
	} {
		status, _ := Judge(test.entry, test.found, nil)
		require.Equal(t, test.want, status, name)
	}
}
