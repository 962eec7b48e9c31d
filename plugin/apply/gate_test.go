package apply

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// runStaged runs objects of which each is a manifest of its own.
func (h *harness) runStaged(ctx context.Context, stages []plan.Stage, objects ...*plan.Object) Result {
	h.t.Helper()
	for _, o := range objects {
		o.Manifest = o.Ref.Name
	}
	g, err := plan.Order(objects, nil)
	require.NoError(h.t, err)
	g, err = g.Staged(objects, stages)
	require.NoError(h.t, err)
	result, err := h.exec.Run(ctx, &plan.Plan{Objects: objects}, g)
	require.NoError(h.t, err)
	return result
}

func TestGatesStandBetweenObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		var passed []string
		gate := func(name string) Gate {
			return func(context.Context) error {
				time.Sleep(time.Second)
				passed = append(passed, name+" after "+h.cluster.matching("")[len(h.cluster.matching(""))-1])
				return nil
			}
		}
		h.exec.Gates = map[string]Gate{plan.GateBehind("a"): gate("behind a"), plan.GateBehind("b"): gate("behind b")}
		r := h.runStaged(t.Context(),
			[]plan.Stage{{Manifest: "a", Behind: true}, {Manifest: "b", After: []string{"a"}, Behind: true}}, creates(t, twoConfigMaps)...)
		assert.Equal(t, VerdictDone, r.Verdict)
		assert.Equal(t, []string{"behind a after apply ConfigMap x/a", "behind b after apply ConfigMap x/b"}, passed,
			"the last one is waited for too")
	})
}

func TestGateThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.exec.Gates = map[string]Gate{
			plan.GateBehind("a"): func(context.Context) error { return errors.New("the test is not passed\nmore") },
			plan.GateBehind("b"): func(context.Context) error { t.Error("must not be reached"); return nil },
		}
		r := h.runStaged(t.Context(),
			[]plan.Stage{{Manifest: "a", Behind: true}, {Manifest: "b", After: []string{"a"}, Behind: true}}, creates(t, twoConfigMaps)...)
		assert.Equal(t, VerdictFailed, r.Verdict)
		assert.Equal(t, map[string]Outcome{"a": OutcomeApplied, "b": OutcomeSkipped}, outcomes(r))
		require.Len(t, r.Gates, 1)
		require.EqualError(t, r.Gates[0], "manifest \"a\": the test is not passed\nmore")
		assert.Contains(t, r.Objects[1].Reason, `manifest "a": the test is not passed`)
	})
}

// Without objects there is still work to do.
func TestGatesOfARunWithoutObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		done := 0
		h.exec.Gates = map[string]Gate{plan.GateBehind("a"): func(context.Context) error { done++; return nil }}
		r := h.runStaged(t.Context(), []plan.Stage{{Manifest: "a", Behind: true}})
		assert.Equal(t, VerdictDone, r.Verdict)
		assert.Equal(t, 1, done)
	})
}

func TestGatesEndWithTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		ctx, cancel := context.WithCancel(t.Context())
		h.exec.Gates = map[string]Gate{
			plan.GateBehind("a"): func(ctx context.Context) error {
				<-ctx.Done()
				return ctx.Err()
			},
			plan.GateBehind("b"): func(context.Context) error { t.Error("must not be reached"); return nil },
		}
		time.AfterFunc(time.Second, cancel)
		r := h.runStaged(ctx,
			[]plan.Stage{{Manifest: "a", Behind: true}, {Manifest: "b", After: []string{"a"}, Behind: true}}, creates(t, twoConfigMaps)...)
		assert.Equal(t, VerdictInterrupted, r.Verdict)
		assert.Equal(t, map[string]Outcome{"a": OutcomeApplied, "b": OutcomeLeft}, outcomes(r))
	})
}
