package prune

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDamagedRecord(t *testing.T) {
	assert.Nil(t, DamagedRecord{}.Keep(Candidate{}))
	got := First([]Filter{DamagedRecord{}}, Candidate{Entry: Entry{Damaged: true}})
	assert.Equal(t, &Kept{Filter: "damaged-record", Reason: "the record has entries that can't be read"}, got)
}
