package prune

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIncomplete(t *testing.T) {
	assert.Nil(t, Incomplete{}.Keep(Candidate{}))
	got := First([]Filter{Incomplete{Reason: "ConfigMap x/a failed"}}, Candidate{})
	assert.Equal(t, &Kept{Filter: "incomplete-run", Reason: "nothing is deleted before everything else is done: ConfigMap x/a failed", Refused: true}, got)
}
