package prune

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

func TestUnservedKind(t *testing.T) {
	assert.Nil(t, UnservedKind{}.Keep(Candidate{}))
	got := First([]Filter{UnservedKind{}}, Candidate{Entry: Entry{Unserved: errors.New("the API group is away")}})
	assert.Equal(t, &Kept{Filter: "unserved-kind", Reason: "its kind can't be looked up: the API group is away"}, got, "it stays listed")
}

func TestUnservedKindIsDroppedOnRequest(t *testing.T) {
	c := Candidate{Entry: Entry{Unserved: fmt.Errorf("look it up: %w", &cluster.ErrNoKind{})}}
	assert.False(t, UnservedKind{}.Keep(c).Forget)
	assert.True(t, UnservedKind{Asked: true}.Keep(c).Forget)
	c.Entry.Unserved = &cluster.ErrUnavailable{}
	assert.False(t, UnservedKind{Asked: true}.Keep(c).Forget, "it may be there")
}
