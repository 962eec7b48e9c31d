package prune

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnnotations(t *testing.T) {
	for text, kept := range map[string]bool{
		`{apiVersion: v1, kind: A, metadata: {name: a, annotations: {helm.sh/resource-policy: keep}}}`:                true,
		`{apiVersion: v1, kind: A, metadata: {name: a, annotations: {helm.sh/resource-policy: " Keep "}}}`:            true,
		`{apiVersion: v1, kind: A, metadata: {name: a, annotations: {helm.sh/resource-policy: "other,keep"}}}`:        true,
		`{apiVersion: v1, kind: A, metadata: {name: a, annotations: {kapp.k14s.io/delete-strategy: orphan}}}`:         true,
		`{apiVersion: v1, kind: A, metadata: {name: a, annotations: {helm.sh/resource-policy: delete}}}`:              false,
		`{apiVersion: v1, kind: A, metadata: {name: a, annotations: {helm.sh/resource-policy: keeper}}}`:              false,
		`{apiVersion: v1, kind: A, metadata: {name: a, annotations: {kapp.k14s.io/delete-strategy: ""}}}`:             false,
		`{apiVersion: v1, kind: A, metadata: {name: a, labels: {helm.sh/resource-policy: keep}}}`:                     false,
		`{apiVersion: v1, kind: A, metadata: {name: a}}`:                                                              false,
		`{apiVersion: v1, kind: A, metadata: {name: a, annotations: {werf.io/resource-policy: keep, other: orphan}}}`: false,
	} {
		got := DefaultAnnotations().Keep(candidate(t, text))
		assert.Equal(t, kept, got != nil, text)
	}
}

func TestAnnotationsForgetAndSayWhy(t *testing.T) {
	got := First([]Filter{DefaultAnnotations()}, candidate(t,
		`{apiVersion: v1, kind: A, metadata: {name: a, annotations: {helm.sh/resource-policy: keep}}}`))
	require.NotNil(t, got)
	assert.Equal(t, Kept{
		Filter: "keep-annotation", Forget: true,
		Reason: "its annotation helm.sh/resource-policy: keep says so; it stays in the cluster and leaves the record",
	}, *got)
}
