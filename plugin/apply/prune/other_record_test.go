package prune

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOtherRecord(t *testing.T) {
	c := Candidate{Entry: Entry{Manifest: "a"}}
	claim := func(manifest string, err error) OtherRecord {
		return OtherRecord{ClaimedBy: func(Candidate) (string, error) { return manifest, err }}
	}
	assert.Nil(t, OtherRecord{}.Keep(c))
	assert.Nil(t, claim("", nil).Keep(c))
	assert.Equal(t, &Kept{Reason: "it is in the record of manifest b too: it is left alone and leaves the record of a", Forget: true}, claim("b", nil).Keep(c))
	got := claim("", errors.New("no access")).Keep(c)
	assert.False(t, got.Forget, "it stays listed")
	assert.Contains(t, got.Reason, "no access")
}
