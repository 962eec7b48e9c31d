package prune

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNotAsked(t *testing.T) {
	assert.Nil(t, NotAsked{Asked: true}.Keep(Candidate{}))
	assert.Nil(t, NotAsked{}.Keep(Candidate{Entry: Entry{Surplus: true}}))
	assert.Equal(t, &Kept{Filter: "not-asked"}, First([]Filter{NotAsked{}}, Candidate{}))
}

// Nobody is told of a flag that lifts a guard before asking for deletions at all.
func TestNotAskedComesBeforeGuardsWithFlags(t *testing.T) {
	ns := candidate(t, `{apiVersion: v1, kind: Namespace, metadata: {name: a, uid: u-1}}`)
	ns.Entry = Entry{UID: "u-1", Confirmed: true}
	filters := func(asked bool) []Filter {
		return append(EntryFilters(nil, "tazuna", nil, asked), DefaultFilters(false)...)
	}
	assert.Equal(t, "not-asked", First(filters(false), ns).Filter)
	assert.Equal(t, "protected-kind", First(filters(true), ns).Filter)
}
