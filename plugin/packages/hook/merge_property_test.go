//go:build linux || darwin

package hook

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/snapshot"
)

// Emptying any queue by Merge runs every event of every hook once and in order, and
// nothing passes what is no run of a hook.
func TestMergeEmptiesAnyQueue(t *testing.T) {
	config := binding.Config{Kubernetes: []binding.Kubernetes{{Name: "k"}}}
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 3))
		hooks := []*Hook{{ID: "a", Config: config}, {ID: "b", Config: config}, {ID: "c", Config: config}, nil}
		var queue []Pending
		want := map[string][]int{}
		barriers := 0
		for i := range random.IntN(40) {
			h := hooks[random.IntN(len(hooks))]
			if h == nil {
				barriers++
				queue = append(queue, Pending{})
				continue
			}
			queue = append(queue, Pending{Hook: h, Triggers: []Trigger{numbered(i)}})
			key := fmt.Sprint(h.ID, " after ", barriers)
			want[key] = append(want[key], i)
		}
		got := map[string][]int{}
		runs, passed := 0, 0
		for len(queue) > 0 {
			before := len(queue)
			var next Pending
			next, queue = Merge(queue)
			require.Less(t, len(queue), before)
			if next.Hook == nil {
				passed++
				continue
			}
			runs++
			for _, trigger := range next.Triggers {
				key := fmt.Sprint(next.Hook.ID, " after ", passed)
				n, _ := trigger.Change.Entry.Result.(int64)
				got[key] = append(got[key], int(n))
			}
		}
		require.Equal(t, want, got, "seed %d", seed)
		require.Equal(t, barriers, passed)
		require.LessOrEqual(t, runs, 3*(barriers+1), "seed %d: at most one run for each hook between two barriers", seed)
	}
}

func numbered(i int) Trigger {
	return Changed("k", snapshot.Change{Event: binding.Modified, Entry: snapshot.Entry{Result: int64(i)}})
}
