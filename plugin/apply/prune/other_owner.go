package prune

import (
	"fmt"
	"maps"
	"slices"
)

// OtherOwner keeps objects that by their annotations are somebody else's: whoever took
// one over wrote its own name there.
type OtherOwner struct {
	// Own is what our own objects have in these annotations. One without them may be
	// ours.
	Own map[string]string
}

// Name is "other-owner".
func (OtherOwner) Name() string { return "other-owner" }

// Keep compares the annotations.
func (f OtherOwner) Keep(c Candidate) *Kept {
	annotations, _ := metadata(c)["annotations"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(f.Own)) {
		if found, ok := annotations[key]; ok && found != f.Own[key] {
			return &Kept{Reason: fmt.Sprintf("its annotation %s: %v says that it belongs to somebody else; it leaves the record", key, found), Forget: true}
		}
	}
	return nil
}
