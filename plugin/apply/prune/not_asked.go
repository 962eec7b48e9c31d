package prune

// NotAsked keeps everything where no deletion was asked for. What left the files
// is then listed as left over.
type NotAsked struct{ Asked bool }

// Name is "not-asked".
func (NotAsked) Name() string { return "not-asked" }

// Keep keeps all or nothing.
func (f NotAsked) Keep(Candidate) *Kept {
	if f.Asked {
		return nil
	}
	return &Kept{}
}
