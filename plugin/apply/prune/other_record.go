package prune

import "fmt"

// Claim names the manifest, neither of this run nor the candidate's own, whose
// record lists the object; empty for none.
type Claim func(c Candidate) (manifest string, err error)

// OtherRecord keeps objects that the record of a manifest outside the run lists:
// two manifests shared it, and the other one still wants it. Where that can't be
// found out, the object stays and stays listed.
type OtherRecord struct {
	// ClaimedBy is asked about objects that all filters before let through; nil
	// asks nobody.
	ClaimedBy Claim
}

// Name is "other-record".
func (OtherRecord) Name() string { return "other-record" }

// Keep asks for the other record.
func (f OtherRecord) Keep(c Candidate) *Kept {
	if f.ClaimedBy == nil {
		return nil
	}
	manifest, err := f.ClaimedBy(c)
	switch {
	case err != nil:
		return &Kept{Reason: "whether another record lists it can't be told: " + err.Error()}
	case manifest != "":
		return &Kept{Reason: fmt.Sprintf("it is in the record of manifest %s too: it is left alone and leaves the record of %s", manifest, c.Entry.Manifest), Forget: true}
	default:
		return nil
	}
}
