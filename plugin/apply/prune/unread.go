package prune

// Unread keeps objects that this user may not read: what can't be looked at can't
// be known to be ours.
type Unread struct{}

// Name is "unread".
func (Unread) Name() string { return "unread" }

// Keep looks whether the object could be read.
func (Unread) Keep(c Candidate) *Kept {
	if c.Entry.Unread == nil {
		return nil
	}
	return &Kept{Reason: "it can't be compared: " + c.Entry.Unread.Error()}
}
