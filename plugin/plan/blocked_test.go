package plan

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

func TestMayReplace(t *testing.T) {
	job, pod := schema.GroupKind{Group: "batch", Kind: "Job"}, schema.GroupKind{Kind: "Pod"}
	config, claim := schema.GroupKind{Kind: "ConfigMap"}, schema.GroupKind{Kind: "PersistentVolumeClaim"}
	tests := map[string]struct {
		policy    Policy
		annotated bool
		yes, no   []schema.GroupKind
	}{
		"nobody asked":           {no: []schema.GroupKind{job, pod, config, claim, crdKind}},
		"the flag":               {policy: Policy{Recreate: true}, yes: []schema.GroupKind{job, pod, config}, no: []schema.GroupKind{claim, crdKind}},
		"a tazuna.yaml":          {policy: Policy{RecreateRuns: true}, yes: []schema.GroupKind{job, pod}, no: []schema.GroupKind{config, claim, crdKind}},
		"the object's own words": {annotated: true, yes: []schema.GroupKind{job, config, claim, crdKind}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			may := func(gk schema.GroupKind) bool {
				o := &Object{Ref: object.Ref{Group: gk.Group, Kind: gk.Kind}, Desired: object.Object{Body: map[string]any{}}}
				if tt.annotated {
					o.Desired.Body["metadata"] = map[string]any{"annotations": map[string]any{RecreateAnnotation: "true"}}
				}
				return Planner{Policy: tt.policy}.mayReplace(o)
			}
			for _, gk := range tt.yes {
				require.True(t, may(gk), "%s", gk)
			}
			for _, gk := range tt.no {
				require.False(t, may(gk), "%s", gk)
			}
		})
	}
}
