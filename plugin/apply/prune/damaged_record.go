package prune

// DamagedRecord keeps the objects of a record that can't be understood as a
// whole: the part that is unreadable may say why an object must stay.
type DamagedRecord struct{}

// Name is "damaged-record".
func (DamagedRecord) Name() string { return "damaged-record" }

// Keep looks whether the record is whole.
func (DamagedRecord) Keep(c Candidate) *Kept {
	if !c.Entry.Damaged {
		return nil
	}
	return &Kept{Reason: "the record has entries that can't be read"}
}
