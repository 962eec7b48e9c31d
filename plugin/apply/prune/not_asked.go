package prune

// NotAsked keeps everything where no deletion was asked for. What left the files
// is then listed as left over. An object that keeps a number of versions asks for
// the deletion of its oldest ones itself.
type NotAsked struct{ Asked bool }

// Name is "not-asked".
func (NotAsked) Name() string { return "not-asked" }

// Keep keeps all or nothing.
func (f NotAsked) Keep(c Candidate) *Kept {
	if f.Asked || c.Entry.Surplus {
		return nil
	}
	return &Kept{}
}
