package plan

import (
	"context"
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// Claims finds out whether another record lists an object. label is the ApplySet
// label that the object carries; the answer is that record's manifest, empty
// where there is no such record or it doesn't list the object. An empty label asks
// for any record outside the run.
type Claims func(ctx context.Context, label string, ref object.Ref) (manifest string, err error)

// claimedBy names the manifest, neither of this run nor ours, whose record lists
// a live object.
func (p Planner) claimedBy(ctx context.Context, live map[string]any, ours string, run map[string]bool, ref object.Ref) (string, error) {
	label := labelsOf(live)[state.PartOfLabel]
	if p.Claims == nil || ours == "" || label == "" || label == ours || run[label] {
		return "", nil
	}
	manifest, err := p.Claims(ctx, label, ref)
	if err != nil {
		return "", fmt.Errorf("%s: find out which record lists it: %w", ref, err)
	}
	return manifest, nil
}

// refuseClaimed keeps an object whose content another manifest wants otherwise
// from being taken over in silence; equal content is wanted by both.
func (o *Object) refuseClaimed(manifest string, force bool) {
	switch {
	case manifest == "":
	case o.Op == OpNone || force:
		o.Notes = append(o.Notes, "it is also in the record of manifest "+manifest)
	case o.Op == OpUpdate || o.Op == OpAdopt || o.Op == OpReplace:
		o.Op, o.Adopt = OpRefuse, nil
		o.Reason = fmt.Sprintf("manifest %s tracks it with another content: take it out of one of the two, or take it over with --force-conflicts", manifest)
	}
}
