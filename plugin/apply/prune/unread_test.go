package prune

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestUnread(t *testing.T) {
	assert.Nil(t, Unread{}.Keep(Candidate{}))
	got := First([]Filter{Unread{}}, Candidate{Entry: Entry{Unread: errors.New("secrets is forbidden")}})
	assert.Equal(t, &Kept{Filter: "unread", Reason: "it can't be compared: secrets is forbidden"}, got, "it stays listed")
}
