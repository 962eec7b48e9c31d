package prune

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

func TestWanted(t *testing.T) {
	f := Wanted{UIDs: map[types.UID]object.Ref{"1": {Group: "networking.k8s.io", Kind: "Ingress", Namespace: "x", Name: "a"}, "": {Kind: "A"}}}
	got := f.Keep(Candidate{UID: "1", Ref: object.Ref{Group: "extensions", Kind: "Ingress", Namespace: "x", Name: "a"}})
	require.NotNil(t, got)
	assert.True(t, got.Forget)
	assert.Equal(t, "it is the same object as Ingress.networking.k8s.io x/a, which the files want", got.Reason)
	assert.Nil(t, f.Keep(Candidate{UID: "2"}))
	assert.Nil(t, f.Keep(Candidate{}), "without a uid nothing is the same")
}
