package prune

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestUnservedKind(t *testing.T) {
	assert.Nil(t, UnservedKind{}.Keep(Candidate{}))
	got := First([]Filter{UnservedKind{}}, Candidate{Entry: Entry{Unserved: errors.New("the API group is away")}})
	assert.Equal(t, &Kept{Filter: "unserved-kind", Reason: "its kind can't be looked up: the API group is away"}, got, "it stays listed")
}
