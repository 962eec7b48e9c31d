package state

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// killed ends every request after the first n as if the process were gone.
func killed(f *fakeCluster, n int, lateAnswer bool) {
	gone := errors.New("killed")
	var mu sync.Mutex
	count := 0
	step := func(verb, _, _ string) error {
		mu.Lock()
		defer mu.Unlock()
		if count++; count > n {
			return gone
		}
		return nil
	}
	if lateAnswer {
		f.after = step
	} else {
		f.before = step
	}
}

// After a kill at any request, between or after any of them being performed, the
// record lists every object that was touched, and the next run converges.
func TestSessionKilledAnywhere(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		for n := range 30 {
			t.Run(fmt.Sprintf("late %v, after %d", late, n), func(t *testing.T) {
				t.Parallel()
				f := newFakeCluster(t).withNamespace()
				first := begin(t, newStore(f), "m")
				first.ledger.limit = 700
				for _, name := range []string{"kept", "changed", "gone", "more-1", "more-2"} {
					first.Applied(entry(t, "m//v1/Namespace/"+name, hashA))
				}
				require.NoError(t, first.Save(t.Context(), true, Metadata{}))
				require.NoError(t, first.End(t.Context()))

				killed(f, n, late)
				touched, finished := runUntilKilled(t, f)
				f.before, f.after = nil, nil
				f.remove("Lease", "tazuna-lock-m") // expired

				rec, err := newStore(f).Read(t.Context(), "m")
				require.NoError(t, err)
				require.Empty(t, rec.Damaged)
				checkNothingLost(t, rec, touched)
				converge(t, f)
				if n > 25 {
					assert.True(t, finished, "the last of these runs must not be cut short at all")
				}
			})
		}
	}
}

// runUntilKilled is the run that is cut short: it changes one object, creates some
// and deletes one. It returns the objects it had begun to write.
func runUntilKilled(t *testing.T, f *fakeCluster) (touched []string, finished bool) {
	t.Helper()
	s, err := newStore(f).Begin(t.Context(), "m", "apply")
	if err != nil {
		return nil, false
	}
	s.ledger.limit = 700
	t.Cleanup(func() { s.lease.stop() })
	names := []string{"changed", "new-1", "new-2", "new-3", "new-4"}
	var wanted []Key
	for _, name := range names {
		wanted = append(wanted, mustKey(t, "m//v1/Namespace/"+name))
	}
	if s.WriteAhead(t.Context(), wanted) != nil {
		return nil, false
	}
	for i, name := range names {
		touched = append(touched, name)
		s.Applied(entry(t, "m//v1/Namespace/"+name, hashB))
		if i == 2 && s.Save(t.Context(), false, Metadata{}) != nil {
			return touched, false
		}
	}
	s.Removed(mustKey(t, "m//v1/Namespace/gone"))
	if s.Save(t.Context(), true, Metadata{}) != nil {
		return touched, false
	}
	return touched, s.End(t.Context()) == nil
}

// checkNothingLost: whatever was begun is listed, and a body never goes with
// another content's hash.
func checkNothingLost(t *testing.T, rec *Record, touched []string) {
	t.Helper()
	listed := map[string]Entry{}
	for _, e := range rec.Entries {
		listed[e.Key.Name] = e
	}
	for _, name := range append([]string{"kept", "changed"}, touched...) {
		require.Contains(t, listed, name)
	}
	require.Equal(t, hashA, listed["kept"].ContentHash)
	for _, e := range rec.Entries {
		if e.ContentHash == "" {
			require.Nil(t, e.Body, "an unfinished apply has no body that counts")
		}
	}
}

// converge is the next run: it applies what is not as wanted.
func converge(t *testing.T, f *fakeCluster) {
	t.Helper()
	s := begin(t, newStore(f), "m")
	want := map[string]string{
		"kept": hashA, "changed": hashB, "more-1": hashA, "more-2": hashA,
		"new-1": hashB, "new-2": hashB, "new-3": hashB, "new-4": hashB,
	}
	var keys []Key
	for name := range want {
		keys = append(keys, mustKey(t, "m//v1/Namespace/"+name))
	}
	slices.SortFunc(keys, CompareKeys)
	require.NoError(t, s.WriteAhead(t.Context(), keys))
	for _, k := range keys {
		s.Applied(entry(t, k.String(), want[k.Name]))
	}
	s.Removed(mustKey(t, "m//v1/Namespace/gone"))
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
	require.NoError(t, s.End(t.Context()))
	rec, err := newStore(f).Read(t.Context(), "m")
	require.NoError(t, err)
	got := map[string]string{}
	for _, e := range rec.Entries {
		got[e.Key.Name] = e.ContentHash
		require.NotNil(t, e.Body)
	}
	require.Equal(t, want, got)
	require.Empty(t, rec.Damaged)
}
