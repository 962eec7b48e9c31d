package state

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDeleteHooksOfARecord(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	s := newStore(f)
	one := ReleaseHooks{Release: "one", Namespace: "x", Hooks: []string{"pre-delete Job.batch x/one-bye"}}
	save := func(hooks []ReleaseHooks, entries ...Entry) []ReleaseHooks {
		session := begin(t, s, "m")
		session.Describe(RunInfo{DeleteHooks: hooks})
		for _, e := range entries {
			session.Applied(e)
		}
		require.NoError(t, session.Save(t.Context(), true, Metadata{}))
		require.NoError(t, session.End(t.Context()))
		rec, err := s.Read(t.Context(), "m")
		require.NoError(t, err)
		return rec.DeleteHooks
	}
	assert.Equal(t, []ReleaseHooks{one}, save([]ReleaseHooks{one}, entry(t, "m//v1/ConfigMap/x/a", hashA)))
	assert.Equal(t, []ReleaseHooks{one}, save(nil, entry(t, "m//v1/ConfigMap/x/b", hashA)), "a run without files knows of none")
	assert.Empty(t, save([]ReleaseHooks{}), "they went, and nothing else was to be written")
	u := f.get("ConfigMap", "tazuna-state-m")
	assert.NotContains(t, u.GetAnnotations(), AnnotationDeleteHooks)
}

func TestMissingReleases(t *testing.T) {
	t.Parallel()
	a, b := ReleaseHooks{Release: "a"}, ReleaseHooks{Release: "a", Namespace: "x"}
	assert.Equal(t, []ReleaseHooks{b}, Missing([]ReleaseHooks{a, b}, []ReleaseHooks{{Release: "a", Hooks: []string{"other"}}}))
	assert.True(t, EqualHooks(nil, []ReleaseHooks{}))
	assert.False(t, EqualHooks([]ReleaseHooks{a}, []ReleaseHooks{{Release: "a", Hooks: []string{"x"}}}))
}
