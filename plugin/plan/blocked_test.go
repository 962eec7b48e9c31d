package plan

import (
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// A refusal of a change is not always one because a field never changes.
func TestMarkImmutable(t *testing.T) {
	cause := func(field, message string) []metav1.StatusCause {
		return []metav1.StatusCause{{Type: metav1.CauseTypeForbidden, Field: field, Message: message}}
	}
	tests := map[string]struct {
		causes []metav1.StatusCause
		want   []Verdict
		marked bool
	}{
		"the field itself": {cause("spec.size", "a rule of its own"), []Verdict{VerdictImmutable, VerdictRelease, VerdictDrift}, true},
		"its parent, and the word for it": {
			cause("spec", "field is immutable"), []Verdict{VerdictImmutable, VerdictRelease, VerdictImmutable}, true,
		},
		"its parent, for another reason": {
			cause("spec", "size and max cannot be both set"), []Verdict{VerdictChange, VerdictRelease, VerdictDrift}, false,
		},
		"a field that nobody named":  {cause("spec.strategy.rollingUpdate", "may not be specified"), []Verdict{VerdictChange, VerdictRelease, VerdictDrift}, false},
		"a field of a like name":     {cause("spec.sizes", "a rule of its own"), []Verdict{VerdictChange, VerdictRelease, VerdictDrift}, false},
		"something within the field": {cause("spec.size.x", "a rule of its own"), []Verdict{VerdictImmutable, VerdictRelease, VerdictDrift}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := &Object{Differences: []Difference{
				{Path: ".spec.size", Verdict: VerdictChange}, {Path: ".spec.max", Verdict: VerdictRelease}, {Path: ".spec.other", Verdict: VerdictDrift},
			}}
			err := &apierrors.StatusError{ErrStatus: metav1.Status{Message: tt.causes[0].Message}}
			require.Equal(t, tt.marked, o.markImmutable(tt.causes, saysImmutable(err)))
			var got []Verdict
			for _, d := range o.Differences {
				got = append(got, d.Verdict)
			}
			require.Equal(t, tt.want, got)
		})
	}
}
