package prune

import "fmt"

// Moved keeps objects that the files of another manifest name now. Whatever the
// order in which the two are applied, the object is one and stays.
type Moved struct{}

// Name is "moved".
func (Moved) Name() string { return "moved" }

// Keep looks for the other manifest. The entry leaves its record only with a run
// that makes one in the other's.
func (Moved) Keep(c Candidate) *Kept {
	e := c.Entry
	switch {
	case e.MovedTo == "":
		return nil
	case e.Elsewhere:
		return &Kept{Reason: fmt.Sprintf("it moved to manifest %s, which is not part of this run: it stays with manifest %s until then", e.MovedTo, e.Manifest)}
	default:
		return &Kept{Reason: fmt.Sprintf("it moves from manifest %s to manifest %s", e.Manifest, e.MovedTo), Forget: true}
	}
}
