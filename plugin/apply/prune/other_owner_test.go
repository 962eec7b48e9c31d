package prune

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOtherOwner(t *testing.T) {
	f := OtherOwner{Own: map[string]string{"a/name": "x", "a/namespace": "z"}}
	for text, kept := range map[string]bool{
		`{apiVersion: v1, kind: A, metadata: {name: a}}`:                                               false,
		`{apiVersion: v1, kind: A, metadata: {name: a, annotations: {a/name: x, a/namespace: z}}}`:     false,
		`{apiVersion: v1, kind: A, metadata: {name: a, annotations: {a/name: x}}}`:                     false,
		`{apiVersion: v1, kind: A, metadata: {name: a, annotations: {a/name: x, a/namespace: other}}}`: true,
		`{apiVersion: v1, kind: A, metadata: {name: a, annotations: {a/name: other}}}`:                 true,
	} {
		got := First([]Filter{f}, candidate(t, text))
		assert.Equal(t, kept, got != nil, text)
		if got != nil {
			assert.True(t, got.Forget)
			assert.Equal(t, "other-owner", got.Filter)
		}
	}
}

func TestMarksOfAnotherRecord(t *testing.T) {
	marks := map[string]string{"a/name": "x"}
	f := Unmarked{Manager: "tazuna"}
	c := candidate(t, `{apiVersion: v1, kind: A, metadata: {name: a, annotations: {a/name: x}}}`)
	assert.NotNil(t, f.Keep(c), "nobody asked for marks")
	c.Entry.Marks = marks
	assert.Nil(t, f.Keep(c))
	c = candidate(t, `{apiVersion: v1, kind: A, metadata: {name: a, annotations: {a/name: w}}}`)
	c.Entry.Marks = marks
	assert.NotNil(t, f.Keep(c))
}
