package apply

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The whole of it is shown by the live tests of package release.

func TestFailuresOf(t *testing.T) {
	begin := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	pod := func(created time.Time, phase string, restarts ...int64) *unstructured.Unstructured {
		var statuses []any
		for _, n := range restarts {
			statuses = append(statuses, map[string]any{"restartCount": n})
		}
		return &unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"creationTimestamp": created.Format(time.RFC3339)},
			"status":   map[string]any{"phase": phase, "containerStatuses": statuses, "initContainerStatuses": []any{map[string]any{"restartCount": int64(1)}}},
		}}
	}
	pods := []*unstructured.Unstructured{
		pod(begin, "Running", 2, 1), pod(begin, "Failed"), pod(begin.Add(-time.Minute), "Running", 100),
	}
	assert.Equal(t, 6, failuresOf(pods, begin), "restarts, a failed Pod, and nothing of one that is older")
	assert.Equal(t, 107, failuresOf(pods, time.Time{}))
	assert.Zero(t, failuresOf(nil, begin))
}

func TestReplicasOf(t *testing.T) {
	of := func(spec map[string]any) int {
		return replicasOf(&unstructured.Unstructured{Object: map[string]any{"spec": spec}})
	}
	assert.Equal(t, 3, of(map[string]any{"replicas": int64(3)}))
	assert.Equal(t, 2, of(map[string]any{"parallelism": int64(2)}))
	assert.Equal(t, 1, of(nil))
}
