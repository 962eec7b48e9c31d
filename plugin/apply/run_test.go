package apply

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

const twoConfigMaps = `
{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: x}}
`

func TestRunCreates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		objects := creates(t, twoConfigMaps)
		objects[0].Force = true // a create is never forced, whatever the plan says
		r := h.run(objects...)

		assert.Equal(t, VerdictDone, r.Verdict)
		assert.Equal(t, Counts{Created: 2}, r.Counts)
		assert.ElementsMatch(t, []string{"apply ConfigMap x/a", "apply ConfigMap x/b"}, h.cluster.matching(""), "one request each, nothing else")
		for i, body := range h.cluster.bodies {
			assert.NotContains(t, body["metadata"], "uid")
			assert.NotContains(t, body["metadata"], "resourceVersion")
			assert.False(t, h.cluster.options[i].Force)
		}
		assert.Equal(t, []string{"Applied", "Ready"}, h.told("a"))
	})
}

func TestRunUpdatesWithWhatThePlanSaw(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		live := h.cluster.put(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}, data: {k: "1"}}`)
		o := h.cluster.over(t, plan.OpUpdate, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}, data: {k: "2"}}`)
		o.Force = true
		r := h.run(o)

		assert.Equal(t, Counts{Updated: 1}, r.Counts)
		meta, _ := h.cluster.bodies[0]["metadata"].(map[string]any)
		assert.Equal(t, string(live.GetUID()), meta["uid"])
		assert.Equal(t, live.GetResourceVersion(), meta["resourceVersion"])
		assert.True(t, h.cluster.options[0].Force)
		assert.NotContains(t, o.Send["metadata"], "uid", "the plan's body is not changed")
	})
}

func TestRunRecordsWhatHappened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.exec.Proof = func(o *plan.Object, live map[string]any) string {
			return "key of " + o.Ref.Name + " " + (&unstructured.Unstructured{Object: live}).GetResourceVersion()
		}
		h.cluster.put(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: same, namespace: x}}`)
		same := h.cluster.over(t, plan.OpNone, `{apiVersion: v1, kind: ConfigMap, metadata: {name: same, namespace: x}}`)
		objects := append(creates(t, twoConfigMaps), same)
		h.run(objects...)

		assert.Len(t, h.session.ahead, 2, "what will be written, not what is as wanted")
		a := h.session.applied["ConfigMap x/a"]
		live := h.cluster.objects["ConfigMap x/a"]
		assert.Equal(t, string(live.GetUID()), a.UID)
		assert.Equal(t, live.GetResourceVersion(), a.ResourceVersion)
		assert.Equal(t, strings.Repeat("a", 64), a.ContentHash)
		assert.Equal(t, "key of a "+live.GetResourceVersion(), a.InputKey)
		assert.Equal(t, 1, a.Order)
		assert.NotNil(t, a.Body)
		assert.Contains(t, h.session.applied, "ConfigMap x/same", "its entry is brought up to date with the same save")
		assert.Equal(t, []bool{true}, h.session.saves)
		assert.Equal(t, EventSaved, h.events[len(h.events)-2].Type)
	})
}

func TestRunWithoutWriteAheadWritesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.session.failing = errors.New("no access")
		r, err := h.try(t.Context(), creates(t, twoConfigMaps)...)
		require.ErrorContains(t, err, "record what is about to be written for manifest m: no access")
		assert.Empty(t, h.cluster.calls)
		assert.Equal(t, Counts{Left: 2}, r.Counts)
		assert.Equal(t, VerdictFailed, r.Verdict)
	})
}

func TestRunSaysWhenTheRecordCannotBeSaved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.cluster.touch = nil
		h.cluster.refuse = func(string) error {
			h.session.mu.Lock()
			defer h.session.mu.Unlock()
			h.session.failing = errors.New("conflict")
			return nil
		}
		r, err := h.try(t.Context(), creates(t, twoConfigMaps)...)
		require.ErrorContains(t, err, "save the record of manifest m: conflict")
		assert.Equal(t, Counts{Created: 2}, r.Counts, "the result is complete all the same")
	})
}

func TestRunStopsWritingWhenTheLockMayBeLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.exec.Concurrency = 1
		h.cluster.refuse = func(string) error {
			h.session.mu.Lock()
			defer h.session.mu.Unlock()
			h.session.dead = errors.New("the lock could not be renewed")
			return nil
		}
		r := h.run(creates(t, twoConfigMaps)...)
		assert.Equal(t, map[string]Outcome{"a": OutcomeApplied, "b": OutcomeFailed}, outcomes(r))
		assert.Equal(t, "the lock could not be renewed", of(r, "b").Reason)
		assert.Equal(t, []bool{false}, h.session.saves, "what happened is saved, as not complete")
	})
}

func TestRunOfAManifestWithoutARecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.exec.Sessions = nil
		assert.Equal(t, VerdictDone, h.run(creates(t, twoConfigMaps)...).Verdict)
	})
}

func TestRunLeavesGoneEntriesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		p := &plan.Plan{Manifests: []plan.Manifest{{Name: "m", Gone: []state.Key{{Manifest: "m", Kind: "ConfigMap", Namespace: "x", Name: "old"}}}}}
		_, err := h.exec.Run(t.Context(), p, plan.Graph{})
		require.NoError(t, err)
		assert.Equal(t, []string{"ConfigMap x/old"}, h.session.removed)
		assert.Empty(t, h.session.ahead)
		assert.Equal(t, []bool{true}, h.session.saves)
	})
}

// P01: killed at any moment, the object is in the record of one of the two.
func TestRunMovesAnObjectBetweenManifests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.cluster.put(t, wasConfigMap)
		moved := h.cluster.over(t, plan.OpNone, wasConfigMap)
		moved.Manifest, moved.Key.Manifest = "b", "b"
		old := moved.Key
		old.Manifest = "m"
		var steps []string
		b := newFakeSession()
		h.session.steps, b.steps = &steps, &steps
		h.exec.Sessions["b"] = b
		p := &plan.Plan{Objects: []*plan.Object{moved}, Manifests: []plan.Manifest{{Name: "m", Gone: []state.Key{old}}, {Name: "b"}}}
		g, err := plan.Order(p.Objects, nil)
		require.NoError(t, err)
		_, err = h.exec.Run(t.Context(), p, g)
		require.NoError(t, err)
		assert.Equal(t, []string{"ahead b a", "removed m a"}, steps)
		assert.Contains(t, b.applied, "ConfigMap x/a")
	})
}

func TestRunKeepsTheBound(t *testing.T) {
	many := func(t *testing.T, window func() int) int {
		h := newHarness(t)
		h.cluster.delay = time.Second
		h.exec.Window = window
		var text []string
		for i := range 40 {
			text = append(text, fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: c%d, namespace: x}}", i))
		}
		r := h.run(creates(t, strings.Join(text, "\n---\n"))...)
		assert.Equal(t, 40, r.Counts.Created)
		return h.cluster.mostAtOnce
	}
	t.Run("16 by default", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { assert.Equal(t, 16, many(t, nil)) })
	})
	t.Run("less when the server asks for patience", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { assert.Equal(t, 3, many(t, func() int { return 3 })) })
	})
	t.Run("but never none", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { assert.Equal(t, 1, many(t, func() int { return 0 })) })
	})
}

func TestRunRefusedObjectsStopOnlyWhatNeedsThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		objects := creates(t, `
{apiVersion: v1, kind: ConfigMap, metadata: {name: refused, namespace: x}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: blocked, namespace: x}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: unplanned, namespace: x}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: x}}
---
{apiVersion: v1, kind: Pod, metadata: {name: needs-it, namespace: x}, spec: {volumes: [{name: v, configMap: {name: refused}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: free, namespace: x}, spec: {}, status: {phase: Succeeded}}
`)
		objects[0].Op, objects[0].Reason = plan.OpRefuse, "data.a is owned by operator"
		objects[1].Op, objects[1].Reason = plan.OpBlocked, "immutable: data"
		objects[2].Op, objects[2].Err = plan.OpError, errors.New("no matches for kind")
		r := h.run(objects...)

		assert.Equal(t, map[string]Outcome{
			"refused": OutcomeRefused, "blocked": OutcomeRefused, "unplanned": OutcomeFailed,
			"other": OutcomeApplied, "needs-it": OutcomeSkipped, "free": OutcomeApplied,
		}, outcomes(r))
		assert.Equal(t, "data.a is owned by operator", of(r, "refused").Reason)
		assert.Equal(t, "it depends on ConfigMap x/refused (its Pods need it), which was refused", of(r, "needs-it").Reason)
		assert.Equal(t, VerdictFailed, r.Verdict, "failed is graver than refused")
		assert.Equal(t, []bool{false}, h.session.saves)
		assert.Len(t, h.session.ahead, 3, "what is refused is not written ahead")
	})
}

func TestRunRefusedAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		objects := creates(t, twoConfigMaps)
		objects[0].Op = plan.OpRefuse
		assert.Equal(t, VerdictRefused, h.run(objects...).Verdict)
	})
}

func TestRunUnchangedObjectsAreNotSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.cluster.put(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: in-it, namespace: x}}`)
		same := h.cluster.over(t, plan.OpNone, `{apiVersion: v1, kind: ConfigMap, metadata: {name: in-it, namespace: x}}`)
		ns := creates(t, `{apiVersion: v1, kind: Namespace, metadata: {name: x}}`)[0]
		ns.Op = plan.OpRefuse
		r := h.run(ns, same)
		assert.Equal(t, OutcomeUnchanged, of(r, "in-it").Outcome)
		assert.Empty(t, h.cluster.matching("apply", "delete"))
	})
}

func TestRunSkipsAlongAChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.cluster.refuse = func(call string) error {
			if call == "apply Namespace /x" {
				return serverError(403, "Forbidden", "not you")
			}
			return nil
		}
		r := h.run(creates(t, `
{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: x}, spec: {volumes: [{name: v, configMap: {name: c}}]}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: x}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: x}}
`)...)
		assert.Equal(t, Counts{Failed: 1, Skipped: 2}, r.Counts)
		assert.Equal(t, "it depends on Namespace x (its namespace), which failed", of(r, "c").Reason)
	})
}

func TestInterruptFinishesWhatIsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.exec.Concurrency = 1
		h.cluster.delay = 2 * time.Second
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		r := h.runIn(ctx, creates(t, twoConfigMaps)...)

		assert.True(t, r.Interrupted)
		assert.Equal(t, VerdictInterrupted, r.Verdict)
		assert.Equal(t, map[string]Outcome{"a": OutcomeApplied, "b": OutcomeLeft}, outcomes(r))
		require.Len(t, r.Left, 1)
		assert.Equal(t, "ConfigMap x/b", r.Left[0].String())
		assert.Contains(t, h.session.applied, "ConfigMap x/a")
		assert.Equal(t, []bool{false}, h.session.saves, "the save does not end with the context")
		assert.Equal(t, 1, h.cluster.count("apply"))
	})
}

func TestInterruptBeforeTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		r := h.runIn(ctx, creates(t, twoConfigMaps)...)
		assert.Empty(t, h.cluster.calls)
		assert.Equal(t, Counts{Left: 2}, r.Counts)
	})
}

func TestInterruptDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.cluster.delay = time.Hour
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		begun := time.Now()
		r := h.runIn(ctx, creates(t, twoConfigMaps)...)
		assert.Equal(t, time.Second+fakeGrace, time.Since(begun))
		assert.Equal(t, Counts{Failed: 2}, r.Counts)
		assert.Contains(t, of(r, "a").Reason, "it may have been written all the same")
	})
}

func TestInterruptDuringTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		r := h.runIn(ctx, creates(t, `{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: x}}`)...)
		assert.Equal(t, OutcomeApplied, of(r, "j").Outcome)
		assert.False(t, of(r, "j").Ready)
		assert.Contains(t, of(r, "j").Reason, "interrupted while waiting")
		assert.Equal(t, VerdictInterrupted, r.Verdict)
	})
}

func TestTimeoutOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.exec.Policy.Timeout = 20 * time.Second
		h.cluster.refuse = func(call string) error {
			if strings.HasSuffix(call, "hooked") {
				return serverError(500, "InternalError", `failed calling webhook "w": no endpoints available`)
			}
			return nil
		}
		begun := time.Now()
		r := h.run(creates(t, `
{apiVersion: batch/v1, kind: Job, metadata: {name: slow, namespace: x}}
---
{apiVersion: v1, kind: Pod, metadata: {name: hooked, namespace: x}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: back, namespace: x}, spec: {template: {metadata: {labels: {a: b}}}}}
---
{apiVersion: v1, kind: Service, metadata: {name: back, namespace: x}, spec: {selector: {a: b}}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: after}
webhooks: [{name: a, clientConfig: {service: {namespace: x, name: back}}}]
`)...)
		assert.Equal(t, 20*time.Second, time.Since(begun))
		assert.True(t, r.TimedOut)
		assert.Equal(t, VerdictFailed, r.Verdict)
		assert.Equal(t, "not ready after 20s: not complete: 0 active, 0 succeeded, 0 failed", of(r, "slow").Reason)
		assert.Equal(t, `no success within the time limit of the run, 20s: failed calling webhook "w": no endpoints available`, of(r, "hooked").Reason)
		assert.Equal(t, "not started within the time limit of the run, 20s", of(r, "after").Reason)
		assert.Equal(t, OutcomeSkipped, of(r, "after").Outcome)
	})
}

func TestTheRunTellsItsBeginningAndItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		r := h.run(creates(t, twoConfigMaps)...)
		first, second, last := h.events[0], h.events[1], h.events[len(h.events)-1]
		assert.Equal(t, Event{Type: EventBegan, Time: first.Time, Total: 2}, first)
		assert.Equal(t, EventStarted, second.Type)
		assert.Equal(t, "ConfigMap x/a", second.Ref().String())
		assert.Equal(t, Event{
			Type: EventEnded, Time: last.Time, Settled: 2, Total: 2, Counts: &r.Counts, Verdict: VerdictDone,
		}, last)
	})
}

func TestARunWhoseRecordCannotBeSavedHasFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.session.failing = errors.New("no space left")
		_, err := h.try(t.Context(), creates(t, twoConfigMaps)...)
		require.Error(t, err)
		last := h.events[len(h.events)-1]
		assert.Equal(t, VerdictFailed, last.Verdict)
		assert.Contains(t, last.Reason, "no space left")
	})
}

func TestEveryObjectEndsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.exec.Policy.NoWait = true
		objects := creates(t, twoConfigMaps+`
---
{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: x}}
`)
		objects[0].Op = plan.OpRefuse
		h.run(objects...)
		assert.Equal(t, []string{"Refused"}, h.told("a"))
		assert.Equal(t, []string{"Applied", "Ready"}, h.told("b"))
		assert.Equal(t, []string{"Applied"}, h.told("j"), "without waiting")
	})
}
