package prune

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

func TestSystemNamespaces(t *testing.T) {
	for _, name := range []string{"default", "kube-system", "kube-public", "kube-node-lease", "tazuna"} {
		got := First(DefaultFilters(true), Candidate{Ref: object.Ref{Kind: "Namespace", Name: name}})
		if assert.NotNil(t, got, name) {
			assert.Equal(t, "system-namespace", got.Filter)
			assert.True(t, got.Forget)
		}
	}
	assert.Nil(t, SystemNamespaces{}.Keep(Candidate{Ref: object.Ref{Kind: "Namespace", Name: "shop"}}))
	assert.Nil(t, SystemNamespaces{}.Keep(Candidate{Ref: object.Ref{Kind: "ConfigMap", Name: "default"}}))
}
