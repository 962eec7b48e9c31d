package prune

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// Unmarked keeps objects on which nothing shows that we ever wrote them. An entry
// written ahead of an apply is no proof: the apply may have failed, because the
// object was somebody else's.
type Unmarked struct {
	// Manager is our field manager.
	Manager string
}

// Name is "unmarked".
func (Unmarked) Name() string { return "unmarked" }

// Keep looks for the uid of a confirmed apply, the record's label, or an entry of
// ours in managedFields.
func (f Unmarked) Keep(c Candidate) *Kept {
	if c.Entry.Confirmed && c.Entry.UID == c.UID {
		return nil
	}
	live := unstructured.Unstructured{Object: c.Live}
	if isMarked(live.GetAnnotations(), c.Entry.Marks) {
		return nil
	}
	if c.Entry.Label != "" && live.GetLabels()[state.PartOfLabel] == c.Entry.Label {
		return nil
	}
	for _, e := range live.GetManagedFields() {
		if e.Manager == f.Manager {
			return nil
		}
	}
	return &Kept{Reason: "it bears no mark of ours, an apply of it never succeeded: it is left alone and leaves the record", Forget: true}
}

// isMarked tells that all marks are there, and that there are any.
func isMarked(annotations, marks map[string]string) bool {
	for key, value := range marks {
		if annotations[key] != value {
			return false
		}
	}
	return len(marks) > 0
}
