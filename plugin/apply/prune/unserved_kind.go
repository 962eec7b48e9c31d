package prune

import (
	"errors"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// UnservedKind keeps entries whose kind could not be looked up: "could not be
// listed" is not "isn't there". Where the cluster says that it has no such kind,
// there is nothing to be deleted: with the definition went all its objects. Such an
// entry leaves the record when deletions are asked for.
type UnservedKind struct{ Asked bool }

// Name is "unserved-kind".
func (UnservedKind) Name() string { return "unserved-kind" }

// Keep looks whether the kind was found.
func (f UnservedKind) Keep(c Candidate) *Kept {
	var none *cluster.ErrNoKind
	switch {
	case c.Entry.Unserved == nil:
		return nil
	case f.Asked && errors.As(c.Entry.Unserved, &none):
		return &Kept{Reason: "its kind is no longer served, so there is nothing to delete; it leaves the record", Forget: true}
	default:
		return &Kept{Reason: "its kind can't be looked up: " + c.Entry.Unserved.Error()}
	}
}
