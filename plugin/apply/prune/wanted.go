package prune

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Wanted keeps objects that the run has applied under another key: one object
// can be served by two API groups, and two manifests may have traded it.
type Wanted struct {
	// UIDs are those of all objects that some file wants.
	UIDs map[types.UID]object.Ref
}

// Name is "wanted".
func (Wanted) Name() string { return "wanted" }

// Keep compares the uid.
func (f Wanted) Keep(c Candidate) *Kept {
	ref, ok := f.UIDs[c.UID]
	if !ok || c.UID == "" {
		return nil
	}
	return &Kept{Reason: fmt.Sprintf("it is the same object as %s, which the files want", ref), Forget: true}
}
