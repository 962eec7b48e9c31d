package apply

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

const parcel = "apiVersion: example.com/v1\nkind: Parcel\nmetadata: {name: a, namespace: x}\nspec: {v: new}\n"

// takesNoPatch makes the kind of an object one of whole objects.
func takesNoPatch(o *plan.Object, subresources ...string) *plan.Object {
	o.Mapping.Verbs, o.Mapping.Subresources = sets.New("get", "list", "create", "update"), sets.New(subresources...)
	return o
}

// A kind that takes no patch is created and updated, with the version that was seen.
func TestKindsWithoutPatchArePut(t *testing.T) {
	h := newHarness(t)
	r := h.run(takesNoPatch(creates(t, parcel)[0]))
	require.Equal(t, OutcomeApplied, of(r, "a").Outcome)
	require.Equal(t, []string{"create Parcel x/a"}, h.cluster.matching("create", "update", "apply", "patch"))

	o := takesNoPatch(h.cluster.over(t, plan.OpUpdate, parcel), "status")
	o.Status = map[string]any{"phase": "Sent"}
	r = h.run(o)
	require.Equal(t, OutcomeApplied, of(r, "a").Outcome)
	require.Equal(t, []string{"create Parcel x/a", "update Parcel x/a", "update statusParcel x/a"}, h.cluster.matching("create", "update", "apply", "patch"))
	sent := unstructured.Unstructured{Object: h.cluster.bodies[1]}
	require.Equal(t, o.ResourceVersion, sent.GetResourceVersion())
	require.Equal(t, o.UID, sent.GetUID())
}

// What others wrote into the object since is no other change than the one shown.
func TestAPutIsPlannedAgain(t *testing.T) {
	h := newHarness(t)
	h.cluster.put(t, parcel)
	o := takesNoPatch(h.cluster.over(t, plan.OpUpdate, parcel))
	h.cluster.change("Parcel x/a", func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{"theirs": "1"}) })
	h.exec.Replan = func(context.Context, *plan.Object) (*plan.Object, error) {
		next := takesNoPatch(h.cluster.over(t, plan.OpUpdate, parcel))
		next.Send = (&unstructured.Unstructured{Object: next.Send}).DeepCopy().Object
		next.Send["theirs"] = "1"
		return next, nil
	}
	r := h.run(o)
	require.Equal(t, OutcomeApplied, of(r, "a").Outcome, of(r, "a").Reason)
}
