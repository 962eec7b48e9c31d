package prune

// MadeAgain keeps objects that bear the name of ours and another uid: ours was
// deleted, and somebody made this one.
type MadeAgain struct{}

// Name is "made-again".
func (MadeAgain) Name() string { return "made-again" }

// Keep compares the recorded uid with the live one.
func (MadeAgain) Keep(c Candidate) *Kept {
	if c.Entry.UID == "" || c.Entry.UID == c.UID {
		return nil
	}
	return &Kept{Reason: "it was deleted and made again by somebody else: it is left alone and leaves the record", Forget: true}
}
