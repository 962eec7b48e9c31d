package prune

// UnservedKind keeps entries whose kind could not be looked up: "could not be
// listed" is not "isn't there".
type UnservedKind struct{}

// Name is "unserved-kind".
func (UnservedKind) Name() string { return "unserved-kind" }

// Keep looks whether the kind was found.
func (UnservedKind) Keep(c Candidate) *Kept {
	if c.Entry.Unserved == nil {
		return nil
	}
	return &Kept{Reason: "its kind can't be looked up: " + c.Entry.Unserved.Error()}
}
