package prune

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestUnknownStrategy(t *testing.T) {
	object := func(annotations string) Candidate {
		return candidate(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {"+annotations+"}}}")
	}
	got := First(DefaultFilters(true), object("kapp.k14s.io/delete-strategy: orphn"))
	assert.Equal(t, &Kept{
		Filter: "unknown-strategy", Refused: true,
		Reason: "its annotation kapp.k14s.io/delete-strategy says something unknown: wanted orphan or nothing",
	}, got)
	assert.Equal(t, "keep-annotation", First(DefaultFilters(true), object("kapp.k14s.io/delete-strategy: orphan")).Filter)
	assert.Nil(t, First(DefaultFilters(true), object("kapp.k14s.io/delete-strategy: ''")))
	assert.Nil(t, First(DefaultFilters(true), object("other: x")))
}
