package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

const (
	// sequenceObjects of each kind of the oracle are written to by others, in
	// sequenceRounds; TAZUNA_TEST_SEQUENCES asks for more of these.
	sequenceObjects = 3
	sequenceRounds  = 6
)

// TestProofSequences has others write to objects at random, and demands after each
// round that what is said from what is remembered is what is said after looking.
func TestProofSequences(t *testing.T) {
	t.Parallel()
	o := newOracle(t, newSite(t), seed(t), sequenceObjects)
	o.apply(t)
	for round := range number(t, "TAZUNA_TEST_SEQUENCES", sequenceRounds) {
		for _, s := range o.objects {
			for range s.random.IntN(3) {
				o.disturb(t, s)
			}
		}
		o.settle(t)
		o.believe(t)
		if round%3 == 2 {
			o.apply(t, "--force-conflicts")
			o.believe(t)
		}
		for _, s := range o.objects {
			if t.Failed() {
				t.Logf("%s: %q", s.name, s.edits)
			}
			s.edits = nil
		}
	}
	o.end(t)
}

// settle waits until what is being deleted is gone.
func (o *oracle) settle(t *testing.T) {
	t.Helper()
	var going []string
	for deadline := time.Now().Add(2 * established); ; time.Sleep(waitPause) {
		going = nil
		for name, live := range o.live(t) {
			if live.GetDeletionTimestamp() != nil {
				going = append(going, fmt.Sprint(name, live.GetFinalizers()))
			}
		}
		if len(going) == 0 {
			return
		}
		require.True(t, time.Now().Before(deadline), "still being deleted: %v", going)
	}
}

// disturb writes to an object as somebody else.
func (o *oracle) disturb(t *testing.T, s *subject) {
	t.Helper()
	objects := o.resource(s)
	live, err := objects.Get(t.Context(), s.name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		o.makeAgain(t, s)
		return
	case err == nil && live.GetDeletionTimestamp() != nil:
		return // it may be gone at any time
	}
	patch := func(what, manager string, kind types.PatchType, body m, subresources ...string) {
		s.edits = append(s.edits, what)
		options := metav1.PatchOptions{FieldManager: manager}
		_, err := objects.Patch(t.Context(), s.name, kind, []byte(encode(body)), options, subresources...)
		require.NoError(t, err, "%s: %s", s.name, what)
	}
	value := fmt.Sprint(s.random.IntN(3))
	switch s.random.IntN(8) {
	case 0, 1, 2:
		o.editOne(t, s, 1)
	case 3:
		patch("foreign label", "somebody", types.MergePatchType, m{"metadata": m{"labels": m{"theirs": value}}})
	case 4:
		patch("foreign annotation", "kubectl-annotate", types.MergePatchType, m{"metadata": m{"annotations": m{"theirs": value}}})
	case 5:
		patch("without our label", "somebody", types.MergePatchType, m{"metadata": m{"labels": m{partOf: nil}}})
	case 6:
		patch("server-side apply", "operator", types.ApplyPatchType, m{
			"apiVersion": s.body["apiVersion"], "kind": s.body["kind"], "metadata": m{"name": s.name, "annotations": m{"operator": value}},
		})
	case 7:
		if s.kind.resource == customResourceDefinitions {
			return // one whose versions are not served is never gone
		}
		s.edits = append(s.edits, "delete")
		require.NoError(t, objects.Delete(t.Context(), s.name, metav1.DeleteOptions{}))
	}
}

// makeAgain creates an object that somebody deleted, as the files have it.
func (o *oracle) makeAgain(t *testing.T, s *subject) {
	t.Helper()
	s.edits = append(s.edits, "create")
	body := (&unstructured.Unstructured{Object: s.body}).DeepCopy()
	_, err := o.resource(s).Create(t.Context(), body, metav1.CreateOptions{FieldManager: "kubectl-create"})
	require.NoError(t, err, s.name)
}
