package plan

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// The server keeps what was applied as stringData in data, but owned by its first
// name: it finds no conflict there itself.
func TestPlanFindsConflictsWithOwnersOfStringData(t *testing.T) {
	live := parsed(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: shop, uid: u, resourceVersion: '7'}\ndata: {k: dGhlaXJz}")
	var entry any
	require.NoError(t, json.Unmarshal([]byte(`{"manager":"theirs","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:stringData":{"f:k":{}}}}`), &entry))
	live["metadata"].(map[string]any)["managedFields"] = []any{entry}
	for _, field := range []string{"stringData: {k: ours}", "data: {k: b3Vycw==}"} {
		reader := &busyCluster{live: &unstructured.Unstructured{Object: live}}
		desired := object.Object{Body: parsed(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: shop}\n"+field)}
		got, err := Planner{Cluster: reader, Policy: ManifestPolicy()}.Plan(t.Context(), []Input{{
			Manifest: "m", Objects: []object.Object{desired}, Record: &state.Record{Manifest: "m"},
		}})
		require.NoError(t, err)
		require.Len(t, got.Objects, 1)
		o := got.Objects[0]
		require.Equal(t, OpRefuse, o.Op, "%v %v", o.Err, o.Differences)
		require.Equal(t, []string{"conflict .data.k by theirs"}, lines(o.Differences))
	}
}
