package prune

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMoved(t *testing.T) {
	assert.Nil(t, Moved{}.Keep(Candidate{Entry: Entry{Manifest: "a"}}))
	assert.Equal(t, &Kept{Reason: "it moves from manifest a to manifest b", Forget: true},
		Moved{}.Keep(Candidate{Entry: Entry{Manifest: "a", MovedTo: "b"}}))
	assert.Equal(t, &Kept{Reason: "it moved to manifest b, which is not part of this run: it stays with manifest a until then"},
		Moved{}.Keep(Candidate{Entry: Entry{Manifest: "a", MovedTo: "b", Elsewhere: true}}), "it stays listed")
}

func TestMovedIsNotForgottenWhileItCannotBeRead(t *testing.T) {
	got := First(EntryFilters(nil, "tazuna", nil, true), Candidate{Entry: Entry{MovedTo: "b", Unread: errors.New("forbidden")}})
	assert.Equal(t, "unread", got.Filter)
	assert.False(t, got.Forget)
}
