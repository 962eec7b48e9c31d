//go:build linux || darwin

package hook

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/snapshot"
)

func limited(interval time.Duration, burst int64) *Hook {
	return &Hook{ID: "hooks/a.sh", Config: binding.Config{Settings: binding.Settings{MinInterval: interval, Burst: burst}}}
}

func events() []Trigger { return []Trigger{Changed("pods", snapshot.Change{Event: binding.Added})} }

func TestPaceHoldsUpEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, p, begun := limited(3*time.Second, 2), &Pace{}, time.Now()
		var at []time.Duration
		for range 5 {
			require.NoError(t, p.wait(t.Context(), h, events()))
			at = append(at, time.Since(begun))
		}
		assert.Equal(t, []time.Duration{0, 0, 3 * time.Second, 6 * time.Second, 9 * time.Second}, at)
		time.Sleep(time.Hour) // the bucket doesn't grow beyond its size
		assert.Zero(t, p.Delay(h, events()))
		require.NoError(t, p.wait(t.Context(), h, events()))
		require.NoError(t, p.wait(t.Context(), h, []Trigger{Scheduled("nightly")}))
		assert.Equal(t, 3*time.Second, p.Delay(h, events()))
		time.Sleep(time.Second)
		assert.Equal(t, 2*time.Second, p.Delay(h, events()))
	})
}

// What the package waits for is not held up, and hooks have nothing to do with each
// other.
func TestPaceLetsPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, p, begun := limited(time.Hour, 1), &Pace{}, time.Now()
		require.NoError(t, p.wait(t.Context(), h, events()))
		for name, triggers := range map[string][]Trigger{
			"stage":           {Stage(binding.BeforeHelm)},
			"synchronization": {Synchronized("pods")},
			"merged":          append(events(), Stage(binding.AfterHelm)),
		} {
			assert.Zero(t, p.Delay(h, triggers), name)
			require.NoError(t, p.wait(t.Context(), h, triggers))
		}
		require.NoError(t, p.wait(t.Context(), limited(time.Hour, 1), events()))
		require.NoError(t, p.wait(t.Context(), limited(0, 1), events()))
		require.NoError(t, (*Pace)(nil).wait(t.Context(), h, events()))
		assert.Zero(t, time.Since(begun))
		assert.Equal(t, time.Hour, p.Delay(h, events()), "none of them was counted")
	})
}

// A run that was cancelled while it waited gives back what it had taken.
func TestPaceCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, p := limited(10*time.Second, 1), &Pace{}
		require.NoError(t, p.wait(t.Context(), h, events()))
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errors.New("removal started")) })
		err := p.wait(ctx, h, events())
		require.EqualError(t, err, "held up by settings.executionMinInterval (10s): removal started")
		assert.Equal(t, 9*time.Second, p.Delay(h, events()))
	})
}

func TestPaceForgets(t *testing.T) {
	gone, stays, p := limited(time.Hour, 1), limited(time.Hour, 1), &Pace{}
	require.NoError(t, p.wait(t.Context(), gone, events()))
	require.NoError(t, p.wait(t.Context(), stays, events()))
	p.Forget(&Set{Hooks: []*Hook{stays}})
	_, kept := p.buckets[gone]
	assert.False(t, kept)
	assert.NotZero(t, p.Delay(stays, events()))
}

// The runner keeps to the pace: while a run is held up, no process begins.
func TestRunKeepsPace(t *testing.T) {
	dir := t.TempDir()
	h := one(t, `{"configVersion":"v1","schedule":[{"name":"s","crontab":"* * * * *"}],"settings":{"executionMinInterval":"1h"}}`,
		"echo run >> "+dir+"/log")
	r := runner(t)
	r.Pace = &Pace{}
	q := Request{Hook: h, Triggers: []Trigger{Scheduled("s")}}
	_, err := r.Run(t.Context(), q)
	require.NoError(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("removal started"))
	_, err = r.Run(ctx, q)
	require.EqualError(t, err, "hook hooks/one.sh (s): held up by settings.executionMinInterval (1h0m0s): removal started")
	log, err := os.ReadFile(dir + "/log")
	require.NoError(t, err)
	assert.Equal(t, "run\n", string(log))
}

// Many that wait at once get one run each interval, whatever their order.
func TestPaceIsSafeForManyUsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, p, begun := limited(time.Second, 3), &Pace{}, time.Now()
		var waiting sync.WaitGroup
		for range 20 {
			waiting.Go(func() { assert.NoError(t, p.wait(t.Context(), h, events())) })
		}
		waiting.Wait()
		assert.Equal(t, 17*time.Second, time.Since(begun))
		assert.Equal(t, time.Second, p.Delay(h, events()))
	})
}
