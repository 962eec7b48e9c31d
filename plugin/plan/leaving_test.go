package plan

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// An object that is on its way out will be missing: it is never as wanted.
func TestPlanBlocksWhatIsBeingDeleted(t *testing.T) {
	tests := map[string]struct{ finalizers, reason string }{
		"by finalizers":       {"finalizers: [a.example/x, b.example/y], ", "it is being deleted (held by finalizers a.example/x, b.example/y): apply again when it is gone"},
		"in its grace period": {"", "it is being deleted: apply again when it is gone"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			reader := &busyCluster{live: &unstructured.Unstructured{Object: parsed(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop, "+tt.finalizers+"uid: u, deletionTimestamp: '2026-01-01T00:00:00Z'}\ndata: {k: v}")}}
			desired := object.Object{Body: parsed(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\ndata: {k: v}")}
			got, err := Planner{Cluster: reader}.Plan(t.Context(), []Input{{Manifest: "m", Objects: []object.Object{desired}}})
			require.NoError(t, err)
			require.Len(t, got.Objects, 1)
			require.Equal(t, OpBlocked, got.Objects[0].Op)
			require.Equal(t, tt.reason, got.Objects[0].Reason)
			require.Zero(t, reader.attempts, "there is nothing to ask the server")
		})
	}
}
