package state

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The project is a label of the record: written with the next save of a run that says
// it, left alone by one that doesn't.
func TestProjectOfARecord(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	s := newStore(f)
	save := func(project string, entries ...Entry) {
		session := begin(t, s, "m")
		session.Describe(RunInfo{Project: project})
		for _, e := range entries {
			session.Applied(e)
		}
		require.NoError(t, session.Save(t.Context(), true, Metadata{}))
		require.NoError(t, session.End(t.Context()))
	}
	project := func() string {
		rec, err := s.Read(t.Context(), "m")
		require.NoError(t, err)
		return rec.Project
	}
	save("", entry(t, "m//v1/ConfigMap/x/a", hashA))
	assert.Empty(t, project())
	save("shop")
	assert.Equal(t, "shop", project(), "there was nothing else to write")
	save("", entry(t, "m//v1/ConfigMap/x/b", hashA))
	assert.Equal(t, "shop", project())
	f.requests()
	save("shop")
	assert.Equal(t, []string{"create Lease tazuna-lock-m", "delete Lease tazuna-lock-m"}, writes(f.requests()))

	all, err := s.Projects(t.Context())
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"m": "shop"}, all)
}
