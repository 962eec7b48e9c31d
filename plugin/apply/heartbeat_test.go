package apply

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

func TestHeartbeatIsToldInSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.exec.Heartbeat = 30 * time.Second
		begun := time.Now()
		// Something is told after 20 s, so the next heartbeat comes at 50 s.
		time.AfterFunc(20*time.Second, func() { h.cluster.change("Job x/j", started) })
		time.AfterFunc(100*time.Second, func() { h.cluster.change("Job x/j", complete) })
		h.run(creates(t, aJob+"\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: x}}")...)
		var at []time.Duration
		for _, e := range h.events {
			if e.Type != EventProgress {
				continue
			}
			at = append(at, e.Time.Sub(begun))
			assert.Equal(t, e.Time.Sub(begun), e.Elapsed)
			assert.Equal(t, 1, e.Settled)
			if assert.Len(t, e.Pending, 1) {
				assert.Equal(t, "Job.batch x/j", e.Pending[0].Ref.String())
				assert.Equal(t, "not complete: 1 active, 0 succeeded, 0 failed", e.Pending[0].Reason)
			}
		}
		assert.Equal(t, []time.Duration{50 * time.Second, 80 * time.Second}, at)
	})
}

func TestNoHeartbeatUnlessAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		time.AfterFunc(time.Hour/10, func() { h.cluster.change("Job x/j", complete) })
		h.run(creates(t, aJob)...)
		for _, e := range h.events {
			assert.NotEqual(t, EventProgress, e.Type)
		}
	})
}

func TestUnwritten(t *testing.T) {
	objects := creates(t, `
{apiVersion: v1, kind: ConfigMap, metadata: {name: same, namespace: x}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: refused, namespace: x}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: broken, namespace: x}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: new, namespace: x}}
`)
	objects[0].Op, objects[1].Op, objects[2].Op = plan.OpNone, plan.OpRefuse, plan.OpError
	objects[1].Reason, objects[2].Err = "owned by another", errors.New("cannot be read")
	var got []string
	events := Unwritten(&plan.Plan{Objects: objects}, time.Unix(0, 0))
	for _, e := range events {
		got = append(got, string(e.Type)+" "+e.Name+" "+e.Reason)
	}
	assert.Equal(t, []string{"Unchanged same ", "Refused refused owned by another", "Failed broken cannot be read", "Ended  "}, got)
	last := events[len(events)-1]
	assert.Equal(t, VerdictFailed, last.Verdict)
	assert.Equal(t, Counts{Unchanged: 1, Refused: 1, Failed: 1}, *last.Counts)
	assert.Equal(t, 3, last.Settled)
	assert.Equal(t, 4, last.Total)
}

func started(u *unstructured.Unstructured) {
	_ = unstructured.SetNestedField(u.Object, int64(1), "status", "active")
}
