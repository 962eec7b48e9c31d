package prune

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestControlled(t *testing.T) {
	got := Controlled{}.Keep(candidate(t, `{apiVersion: v1, kind: A, metadata: {name: a, ownerReferences: [{kind: X, name: y}, {kind: ReplicaSet, name: web, controller: true}]}}`))
	require.NotNil(t, got)
	assert.Equal(t, "it belongs to the controller of ReplicaSet web", got.Reason)
	assert.False(t, got.Forget, "it stays listed")
	assert.Nil(t, Controlled{}.Keep(candidate(t, `{apiVersion: v1, kind: A, metadata: {name: a, ownerReferences: [{kind: X, name: y}]}}`)))
	assert.Nil(t, Controlled{}.Keep(candidate(t, `{apiVersion: v1, kind: A, metadata: {name: a}}`)))
	assert.Nil(t, Controlled{}.Keep(Candidate{}), "a body that is not known")
}
