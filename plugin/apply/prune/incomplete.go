package prune

// Incomplete keeps everything, because the run before the deletions did not
// succeed: what failed may still need what would be deleted.
type Incomplete struct {
	// Reason names what failed; empty lets everything pass.
	Reason string
}

// Name is "incomplete-run".
func (Incomplete) Name() string { return "incomplete-run" }

// Keep keeps all or nothing.
func (f Incomplete) Keep(Candidate) *Kept {
	if f.Reason == "" {
		return nil
	}
	return &Kept{Reason: "nothing is deleted before everything else is done: " + f.Reason, Refused: true}
}
