package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

func TestNotReady(t *testing.T) {
	deployment := func(available string) map[string]any {
		return map[string]any{
			"apiVersion": "apps/v1", "kind": "Deployment",
			"metadata": map[string]any{"name": "web", "namespace": "shop", "generation": int64(2)},
			"spec":     map[string]any{"replicas": int64(1)},
			"status": map[string]any{
				"observedGeneration": int64(2), "replicas": int64(1), "updatedReplicas": int64(1),
				"readyReplicas": int64(1), "availableReplicas": int64(1),
				"conditions": []any{map[string]any{"type": "Available", "status": available}},
			},
		}
	}
	unready := deployment("False")
	unready["status"].(map[string]any)["readyReplicas"] = int64(0)
	unready["status"].(map[string]any)["availableReplicas"] = int64(0)
	web := object.Ref{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	failed := deployment("True")
	failed["status"].(map[string]any)["conditions"] = []any{map[string]any{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}}
	tests := map[string]struct {
		op      Op
		live    map[string]any
		want    []Unready
		awaited bool
	}{
		"ready":              {op: OpNone, live: deployment("True")},
		"awaited, and ready": {op: OpNone, live: deployment("True"), awaited: true},
		"awaited":            {OpNone, unready, []Unready{{Ref: web, Awaited: true, Reason: "Available: 0/1"}}, true},
		"not available":      {OpNone, unready, []Unready{{Ref: web, Reason: "Available: 0/1"}}, false},
		"failed":             {OpNone, failed, []Unready{{Ref: web, Failed: true, Reason: "ProgressDeadlineExceeded"}}, false},
		"to be written":      {op: OpUpdate, live: unready},
		"metadata only":      {op: OpNone, live: map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": unready["metadata"]}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := &Plan{Objects: []*Object{{Op: tc.op, Ref: web, UID: "u", Live: tc.live, Awaited: tc.awaited}}}
			require.Equal(t, tc.want, p.NotReady())
			waitTo := p.Objects[0].waitTo(nil)
			require.Equal(t, tc.op == OpUpdate || tc.awaited && len(tc.want) > 0, waitTo == "reconcile", "%q", waitTo)
		})
	}
}
