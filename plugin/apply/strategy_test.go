package apply

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// An object that somebody made between diff and apply fails the run, unless its
// create strategy says that it is updated then.
func TestCreateStrategyUpdatesWhatCameInBetween(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.cluster.put(t, wasConfigMap)
		over := h.cluster.over(t, plan.OpUpdate, newConfigMap)
		refused := false
		h.cluster.refuse = func(string) error {
			if refused {
				return nil
			}
			refused = true
			return fieldConflict(".data.k")
		}
		h.exec.Replan = func(context.Context, *plan.Object) (*plan.Object, error) { return over, nil }
		o := creates(t, newConfigMap)[0]
		o.Strategy.Create = plan.CreateOrUpdate
		r := h.run(o)
		assert.Equal(t, OutcomeApplied, of(r, "a").Outcome)
		assert.Contains(t, of(r, "a").Notes, "somebody made it in the meantime; it is updated, as its create strategy says")
	})
}

// existing is an object that somebody else makes.
func existing(t *testing.T) *plan.Object {
	t.Helper()
	o := creates(t, newConfigMap)[0]
	o.Op, o.Send, o.Strategy.Exists = plan.OpExists, nil, true
	return o
}

func TestWhatSomebodyElseMakesIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		made := &unstructured.Unstructured{Object: load(t, wasConfigMap).Body}
		go func() {
			time.Sleep(20 * time.Second)
			h.cluster.mu.Lock()
			defer h.cluster.mu.Unlock()
			key := keyOf(mappingOf(made.GroupVersionKind()), made.GetNamespace(), made.GetName())
			h.cluster.store(key, merged(h.cluster.fresh(), made))
		}()
		r := h.run(existing(t))
		assert.Equal(t, OutcomeUnchanged, of(r, "a").Outcome)
		assert.True(t, of(r, "a").Ready)
		assert.Empty(t, h.cluster.matching("apply", "create", "update", "patch", "delete"))
		assert.GreaterOrEqual(t, r.Elapsed, 20*time.Second)
	})
}

func TestWhatNobodyMakesFailsInTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.exec.Policy.ObjectTimeout = time.Minute
		r := h.run(existing(t))
		assert.Equal(t, OutcomeFailed, of(r, "a").Outcome)
		assert.Contains(t, of(r, "a").Reason, "it doesn't exist yet: somebody else has to make it")
	})
}

// What is left as it is holds nothing up, whether or not it is there.
func TestWhatIsLeftAloneCountsAsReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		o := creates(t, newConfigMap)[0]
		o.Op, o.Send, o.Strategy.Noop = plan.OpNone, nil, true
		r := h.run(o)
		assert.Equal(t, OutcomeUnchanged, of(r, "a").Outcome)
		assert.True(t, of(r, "a").Ready)
		assert.Empty(t, h.cluster.matching("apply", "get", "watch"))
	})
}
