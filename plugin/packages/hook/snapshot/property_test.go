package snapshot

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
)

// Whatever comes in whatever order, a tracker has the snapshot that a fresh look at
// the same objects gives, and its changes tell a listener the same story.
func TestTrackerAgreesWithAFreshLook(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 7))
		k := bound(t, `, jqFilter: ".data.num", labelSelector: {matchLabels: {pick: "yes"}}`)
		tracker := NewTracker(k)
		world := map[object.Ref]map[string]any{}
		heard := map[string]any{}
		for range 60 {
			step(t, random, tracker, world, heard)
		}
		var bodies []map[string]any
		for _, body := range world {
			bodies = append(bodies, body)
		}
		fresh, err := Take(t.Context(), k, bodies)
		require.NoError(t, err)
		tracked, err := tracker.Snapshot()
		require.NoError(t, err)
		require.Equal(t, fresh, tracked, "seed %d", seed)
		require.Len(t, heard, len(fresh), "seed %d", seed)
		for _, e := range fresh {
			require.Equal(t, e.Result, heard[e.Ref.Name], "seed %d: %s", seed, e.Ref)
		}
		counts := tracker.Counts()
		require.Equal(t, len(fresh), counts.Added-counts.Deleted)
	}
}

// step makes one change to the world and tells the tracker, by an event or by a
// list.
func step(t *testing.T, random *rand.Rand, tracker *Tracker, world map[object.Ref]map[string]any, heard map[string]any) {
	t.Helper()
	body := configMap(t, "ns", fmt.Sprint("o", random.IntN(5)), fmt.Sprintf(`,"data":{"num":%d}`, random.IntN(3)))
	if random.IntN(4) > 0 {
		body["metadata"].(map[string]any)["labels"] = map[string]any{"pick": "yes"}
	}
	ref := object.RefOf(body)
	switch random.IntN(5) {
	case 0:
		delete(world, ref)
		hear(t, heard, tracker.Remove(ref))
	case 1:
		world[ref] = body
		var bodies []map[string]any
		for _, one := range world {
			bodies = append(bodies, one)
		}
		changes, err := tracker.Reset(t.Context(), bodies)
		require.NoError(t, err)
		for _, change := range changes {
			hear(t, heard, &change)
		}
	default:
		world[ref] = body
		hear(t, heard, set(t, tracker, body))
	}
}

// hear is what a hook would know that only listens to changes. It fails at a change
// that makes no sense after those before.
func hear(t *testing.T, heard map[string]any, change *Change) {
	t.Helper()
	if change == nil {
		return
	}
	name := change.Entry.Ref.Name
	last, known := heard[name]
	switch change.Event {
	case binding.Added:
		require.False(t, known, name)
	case binding.Modified:
		require.True(t, known, name)
		require.NotEqual(t, last, change.Entry.Result, name)
	case binding.Deleted:
		require.True(t, known, name)
		delete(heard, name)
		return
	}
	heard[name] = change.Entry.Result
}
