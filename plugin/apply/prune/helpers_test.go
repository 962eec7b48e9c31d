package prune

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// candidate reads one live object.
func candidate(t *testing.T, text string) Candidate {
	t.Helper()
	set, err := object.Load(strings.NewReader(text), "test.yaml")
	require.NoError(t, err)
	require.Len(t, set.Objects, 1)
	o := set.Objects[0]
	return Candidate{Ref: o.Ref(), UID: o.Unstructured().GetUID(), Live: o.Body}
}
