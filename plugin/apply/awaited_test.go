package apply

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// awaitedAfter applies what is waited for and returns whether the record says that
// the wait was not over.
func awaitedAfter(t *testing.T, h *harness, objects ...*plan.Object) bool {
	t.Helper()
	h.exec.Policy.ObjectTimeout = time.Minute
	h.run(objects...)
	return h.session.applied["Job.batch x/j"].Awaited
}

func TestTheRecordSaysWhatWasWaitedForInVain(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(h *harness)
		want    bool
	}{
		"not ready in time": {func(*harness) {}, true},
		"failed": {func(h *harness) {
			h.cluster.touch = func(u *unstructured.Unstructured) { setCondition(u, "Failed", "True", "R", "m") }
		}, true},
		"ready at once":       {func(h *harness) { h.cluster.touch = complete }, false},
		"ready after a while": {func(h *harness) { time.AfterFunc(time.Second, func() { h.cluster.change("Job x/j", complete) }) }, false},
		"nobody was to wait":  {func(h *harness) { h.exec.Policy.NoWait = true }, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				c.prepare(h)
				assert.Equal(t, c.want, awaitedAfter(t, h, creates(t, aJob)...))
			})
		})
	}
}

// What an earlier run waited for in vain is waited for although it is as wanted, and
// this time it is a failure of the run.
func TestARunGoesOnWaiting(t *testing.T) {
	awaited := func(t *testing.T, h *harness) *plan.Object {
		o := h.cluster.over(t, plan.OpNone, aJob)
		o.Awaited = true
		return o
	}
	t.Run("until its time is up", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			h.cluster.put(t, aJob)
			assert.True(t, awaitedAfter(t, h, awaited(t, h)))
			assert.Contains(t, h.told("j"), "Failed: not ready after 1m0s: not complete: 0 active, 0 succeeded, 0 failed")
		})
	})
	t.Run("until it is ready", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			h.cluster.put(t, aJob)
			time.AfterFunc(time.Second, func() { h.cluster.change("Job x/j", complete) })
			assert.False(t, awaitedAfter(t, h, awaited(t, h)))
			assert.Contains(t, h.told("j"), "Unchanged")
		})
	})
	t.Run("but not for what has failed for good", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			h.cluster.put(t, aJob)
			h.cluster.change("Job x/j", func(u *unstructured.Unstructured) { setCondition(u, "Failed", "True", "R", "m") })
			begun := time.Now()
			assert.True(t, awaitedAfter(t, h, awaited(t, h)))
			assert.Contains(t, h.told("j"), "Failed: R: m")
			assert.Zero(t, time.Since(begun))
		})
	})
	t.Run("and not without the wish to wait", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			h.cluster.put(t, aJob)
			h.exec.Policy.NoWait = true
			assert.True(t, awaitedAfter(t, h, awaited(t, h)), "the record keeps it")
			assert.Equal(t, []string{"Unchanged"}, h.told("j"))
		})
	})
	t.Run("others are no failure of the run", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			h.cluster.put(t, aJob)
			assert.False(t, awaitedAfter(t, h, h.cluster.over(t, plan.OpNone, aJob)))
			assert.Equal(t, []string{"Unchanged"}, h.told("j"))
		})
	})
}
