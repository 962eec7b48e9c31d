package apply

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

const (
	aJob        = `{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: x}, spec: {count: 1}}`
	aDeployment = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: x}, spec: {selector: {matchLabels: {app: d}}}}`
)

func complete(u *unstructured.Unstructured) { setCondition(u, "Complete", "True", "", "") }

func setCondition(u *unstructured.Unstructured, kind, status, reason, message string) {
	_ = unstructured.SetNestedSlice(u.Object, []any{
		map[string]any{"type": kind, "status": status, "reason": reason, "message": message},
	}, "status", "conditions")
}

// rollOut gives a Deployment the status of one that is done.
func rollOut(u *unstructured.Unstructured) {
	for _, field := range []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"} {
		_ = unstructured.SetNestedField(u.Object, int64(1), "status", field)
	}
	_ = unstructured.SetNestedField(u.Object, u.GetGeneration(), "status", "observedGeneration")
	_ = unstructured.SetNestedSlice(u.Object, []any{
		map[string]any{"type": "Available", "status": "True"},
		map[string]any{"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"},
	}, "status", "conditions")
}

func TestWaitIsOneWatchForAllOfAKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		var text []string
		for i := range 30 {
			text = append(text, fmt.Sprintf("{apiVersion: batch/v1, kind: Job, metadata: {name: j%d, namespace: x}}", i))
		}
		time.AfterFunc(time.Second, func() {
			for i := range 30 {
				h.cluster.change(fmt.Sprintf("Job x/j%d", i), complete)
			}
		})
		begun := time.Now()
		r := h.run(creates(t, strings.Join(text, "\n---\n"))...)
		assert.Equal(t, 30, r.Counts.Created)
		assert.Equal(t, time.Second, time.Since(begun), "no sooner and no later")
		assert.Equal(t, []string{"watch Job x"}, h.cluster.matching("watch", "get", "list"))
		assert.True(t, of(r, "j7").Ready)
	})
}

func TestWaitCostsNothingForWhatIsReadyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.cluster.touch = complete
		h.run(creates(t, aJob)...)
		assert.Empty(t, h.cluster.matching("watch", "get", "list"))
	})
}

func TestWaitWatchesEverywhereForManyNamespaces(t *testing.T) {
	input := func(t *testing.T, n int) []*plan.Object {
		var text []string
		for i := range n {
			text = append(text, fmt.Sprintf("{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: n%d}}", i))
		}
		return creates(t, strings.Join(text, "\n---\n"))
	}
	done := func(h *harness, n int) {
		for i := range n {
			h.cluster.change(fmt.Sprintf("Job n%d/j", i), complete)
		}
	}
	t.Run("one watch", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			time.AfterFunc(time.Second, func() { done(h, 10) })
			h.run(input(t, 10)...)
			assert.Equal(t, []string{"watch Job"}, h.cluster.matching("watch"))
		})
	})
	t.Run("few namespaces have one each", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			time.AfterFunc(time.Second, func() { done(h, 2) })
			h.run(input(t, 2)...)
			assert.ElementsMatch(t, []string{"watch Job n0", "watch Job n1"}, h.cluster.matching("watch"))
		})
	})
	t.Run("and so have many where the user may not", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			h.cluster.refuse = func(call string) error {
				if call == "watch Job" {
					return serverError(403, "Forbidden", "not everywhere")
				}
				return nil
			}
			time.AfterFunc(time.Second, func() { done(h, 7) })
			r := h.run(input(t, 7)...)
			assert.Equal(t, 7, r.Counts.Created)
			assert.Len(t, h.cluster.matching("watch"), 8)
		})
	})
}

func TestWaitIsNarrowedByOurLabel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		o := creates(t, `{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: x, labels: {applyset.kubernetes.io/part-of: set-1}}}`)[0]
		time.AfterFunc(time.Second, func() { h.cluster.change("Job x/j", complete) })
		h.run(o)
		assert.Equal(t, []string{"watch Job x applyset.kubernetes.io/part-of=set-1"}, h.cluster.matching("watch"))
	})
}

func TestWaitAsksWhereItMayNotWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.cluster.refuse = func(call string) error {
			if strings.HasPrefix(call, "watch") {
				return serverError(403, "Forbidden", "no watch")
			}
			return nil
		}
		time.AfterFunc(5*time.Second, func() { h.cluster.change("Job x/j", complete) })
		r := h.run(creates(t, aJob)...)
		assert.True(t, of(r, "j").Ready)
		assert.Equal(t, 4, h.cluster.count("get Job"))
	})
}

// A token that expires in the middle, or a right that is not there, is said and not
// waited out.
func TestWaitEndsWhereItMayNotLook(t *testing.T) {
	for name, refusal := range map[string]error{
		"expired": serverError(401, "Unauthorized", "no access"), "no right": serverError(403, "Forbidden", "no access"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				h.cluster.refuse = func(call string) error {
					if strings.HasPrefix(call, "watch") || strings.HasPrefix(call, "get") {
						return refusal
					}
					return nil
				}
				begun := time.Now()
				r := h.run(creates(t, aJob)...)
				assert.Equal(t, OutcomeFailed, of(r, "j").Outcome)
				assert.Equal(t, "it can't be looked at while waiting: no access", of(r, "j").Reason)
				assert.Less(t, time.Since(begun), time.Minute)
			})
		})
	}
}

func TestWaitSurvivesOneRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		var refused atomic.Int32
		h.cluster.refuse = func(call string) error {
			if (strings.HasPrefix(call, "watch") || strings.HasPrefix(call, "get")) && refused.Add(1) <= 2 {
				return serverError(401, "Unauthorized", "expired")
			}
			return nil
		}
		time.AfterFunc(10*time.Second, func() { h.cluster.change("Job x/j", complete) })
		r := h.run(creates(t, aJob)...)
		assert.True(t, of(r, "j").Ready, of(r, "j").Reason)
	})
}

func TestWaitGoesOnAfterACut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		time.AfterFunc(time.Second, h.cluster.cutWatches)
		time.AfterFunc(5*time.Second, h.cluster.cutWatches)
		time.AfterFunc(9*time.Second, func() { h.cluster.change("Job x/j", complete) })
		begun := time.Now()
		r := h.run(creates(t, aJob)...)
		assert.True(t, of(r, "j").Ready)
		assert.Equal(t, 9*time.Second, time.Since(begun))
		assert.Equal(t, 3, h.cluster.count("watch"))
	})
}

func TestWaitNoticesWhatHappenedDuringACut(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(h *harness)
		outcome Outcome
	}{
		"ready": {func(h *harness) { h.cluster.change("Job x/j", complete) }, OutcomeApplied},
		"gone":  {func(h *harness) { h.cluster.remove("Job x/j") }, OutcomeFailed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				var down atomic.Bool
				h.cluster.refuse = func(call string) error {
					if down.Load() && strings.HasPrefix(call, "watch") {
						return serverError(503, "ServiceUnavailable", "down")
					}
					return nil
				}
				time.AfterFunc(time.Second, func() { h.cluster.cutWatches(); down.Store(true) })
				time.AfterFunc(2*time.Second, func() { c.happens(h) })
				time.AfterFunc(20*time.Second, func() { down.Store(false) })
				begun := time.Now()
				r := h.run(creates(t, aJob)...)
				assert.Equal(t, c.outcome, of(r, "j").Outcome)
				assert.Less(t, time.Since(begun), 40*time.Second)
			})
		})
	}
}

func TestWaitIgnoresWhatIsOlderThanTheWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.cluster.put(t, aJob)
		h.cluster.change("Job x/j", complete)
		old := h.cluster.objects["Job x/j"].DeepCopy()
		h.cluster.change("Job x/j", func(u *unstructured.Unstructured) { delete(u.Object, "status") })
		o := h.cluster.over(t, plan.OpUpdate, strings.Replace(aJob, "count: 1", "count: 2", 1))
		h.exec.Policy.ObjectTimeout = time.Minute
		time.AfterFunc(time.Second, func() {
			h.cluster.mu.Lock()
			defer h.cluster.mu.Unlock()
			h.cluster.tell("MODIFIED", old) // a watch cache that lags behind
		})
		r := h.run(o)
		assert.Equal(t, OutcomeFailed, of(r, "j").Outcome)
	})
}

func TestWaitFailsWithTheObject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		time.AfterFunc(3*time.Second, func() {
			h.cluster.change("Job x/j", func(u *unstructured.Unstructured) {
				setCondition(u, "Failed", "True", "BackoffLimitExceeded", "Job has reached the specified backoff limit")
			})
		})
		begun := time.Now()
		r := h.run(creates(t, aJob)...)
		assert.Equal(t, 3*time.Second, time.Since(begun))
		assert.Equal(t, "BackoffLimitExceeded: Job has reached the specified backoff limit", of(r, "j").Reason)
		assert.Equal(t, VerdictFailed, r.Verdict)
		assert.Contains(t, h.session.applied, "Job.batch x/j", "it was applied all the same")
		assert.Equal(t, []bool{false}, h.session.saves)
	})
}

func TestWaitTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		begun := time.Now()
		r := h.run(creates(t, aJob)...)
		assert.Equal(t, 15*time.Minute, time.Since(begun))
		assert.Equal(t, "not ready after 15m0s: not complete: 0 active, 0 succeeded, 0 failed", of(r, "j").Reason)
	})
}

func TestWaitIsOffOnRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.exec.Policy.NoWait = true
		r := h.run(creates(t, aJob)...)
		assert.Equal(t, OutcomeApplied, of(r, "j").Outcome)
		assert.False(t, of(r, "j").Ready)
		assert.Equal(t, VerdictDone, r.Verdict)
		assert.Empty(t, h.cluster.matching("watch"))
	})
}

func TestWaitIsKeptWhereAnEdgeAsksForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.exec.Policy.NoWait = true
		time.AfterFunc(2*time.Second, func() { h.cluster.change("CustomResourceDefinition /orders.demo.example", establish) })
		begun := time.Now()
		r := h.run(creates(t, orderDefinition+"---\n{apiVersion: demo.example/v1, kind: Order, metadata: {name: first, namespace: x}}")...)
		assert.Equal(t, Counts{Created: 2}, r.Counts)
		assert.Equal(t, 2*time.Second, time.Since(begun))
	})
}

func TestWaitForADefinitionWhoseNamesAreTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		time.AfterFunc(2*time.Second, func() {
			h.cluster.change("CustomResourceDefinition /orders.demo.example", func(u *unstructured.Unstructured) {
				setCondition(u, "NamesAccepted", "False", "ListKindConflict", `"OrderList" is already in use`)
			})
		})
		begun := time.Now()
		r := h.run(creates(t, orderDefinition+"---\n{apiVersion: demo.example/v1, kind: Order, metadata: {name: first, namespace: x}}")...)
		assert.Equal(t, 2*time.Second, time.Since(begun))
		assert.Equal(t, `"OrderList" is already in use`, of(r, "orders.demo.example").Reason)
		assert.Equal(t, "it depends on CustomResourceDefinition.apiextensions.k8s.io orders.demo.example (its CustomResourceDefinition), which failed", of(r, "first").Reason)
	})
}

func TestAJobThatCleansItselfUpHasFinished(t *testing.T) {
	for name, c := range map[string]struct {
		spec    string
		outcome Outcome
	}{
		"with a time to live": {"ttlSecondsAfterFinished: 0", OutcomeApplied},
		"without one":         {"a: b", OutcomeFailed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				time.AfterFunc(3*time.Second, func() { h.cluster.remove("Job x/j") })
				r := h.run(creates(t, "{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: x}, spec: {"+c.spec+"}}")...)
				assert.Equal(t, c.outcome, of(r, "j").Outcome)
				if c.outcome == OutcomeApplied {
					assert.Equal(t, []string{"it finished and cleaned itself up; whether it succeeded was not seen"}, of(r, "j").Notes)
				} else {
					assert.Equal(t, "somebody deleted it while the run waited for it", of(r, "j").Reason)
				}
			})
		})
	}
}

func TestAnObjectThatIsReplacedWhileWaitedForFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		time.AfterFunc(time.Second, func() {
			h.cluster.remove("Job x/j")
			h.cluster.put(t, aJob)
		})
		assert.Equal(t, OutcomeFailed, of(h.run(creates(t, aJob)...), "j").Outcome)
	})
}

func TestFailingBeforeTheChange(t *testing.T) {
	stalled := func(u *unstructured.Unstructured) {
		setCondition(u, "Progressing", "False", "ProgressDeadlineExceeded", "too slow")
		_ = unstructured.SetNestedField(u.Object, u.GetGeneration(), "status", "observedGeneration")
	}
	begin := func(t *testing.T, text string) (*harness, *plan.Object) {
		h := newHarness(t)
		h.cluster.put(t, aDeployment)
		h.cluster.change("Deployment x/d", stalled)
		return h, h.cluster.over(t, plan.OpUpdate, text)
	}
	changed := strings.Replace(aDeployment, "spec: {", "spec: {replicas: 1, ", 1)
	t.Run("is no failure of a change that makes no new generation", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h, o := begin(t, strings.Replace(aDeployment, "namespace: x", "namespace: x, labels: {a: b}", 1))
			begun := time.Now()
			r := h.run(o)
			assert.Equal(t, OutcomeApplied, of(r, "d").Outcome)
			assert.False(t, of(r, "d").Ready)
			assert.Equal(t, "still not ready (was so before): ProgressDeadlineExceeded: too slow", of(r, "d").Reason)
			assert.Equal(t, VerdictDone, r.Verdict)
			assert.Len(t, r.Warnings, 1)
			assert.Zero(t, time.Since(begun))
		})
	})
	t.Run("gives the controller a moment", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h, o := begin(t, changed)
			time.AfterFunc(5*time.Second, func() { h.cluster.change("Deployment x/d", stalled) })
			time.AfterFunc(8*time.Second, func() { h.cluster.change("Deployment x/d", rollOut) })
			assert.True(t, of(h.run(o), "d").Ready)
		})
	})
	t.Run("but is a failure of the change when it stays", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h, o := begin(t, changed)
			time.AfterFunc(time.Second, func() { h.cluster.change("Deployment x/d", stalled) })
			begun := time.Now()
			r := h.run(o)
			assert.Equal(t, OutcomeFailed, of(r, "d").Outcome)
			assert.Equal(t, staleGrace, time.Since(begun))
		})
	})
}

func TestUnchangedObjectsAreNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.cluster.put(t, aJob)
		r := h.run(append(creates(t, twoConfigMaps), h.cluster.over(t, plan.OpNone, aJob))...)
		assert.Equal(t, OutcomeUnchanged, of(r, "j").Outcome)
		assert.Empty(t, h.cluster.matching("watch"))
	})
}

func TestUnchangedDefinitionsAreWaitedForWhenTheirObjectsNeedIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.cluster.put(t, orderDefinition)
		crd := h.cluster.over(t, plan.OpNone, orderDefinition)
		time.AfterFunc(2*time.Second, func() { h.cluster.change("CustomResourceDefinition /orders.demo.example", establish) })
		r := h.run(append(creates(t, "{apiVersion: demo.example/v1, kind: Order, metadata: {name: first, namespace: x}}"), crd)...)
		assert.Equal(t, Counts{Created: 1, Unchanged: 1}, r.Counts)
	})
}

func TestWaitTellsWhatPodsSuffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.exec.Policy.ObjectTimeout = time.Minute
		h.cluster.put(t, `
apiVersion: v1
kind: Pod
metadata: {name: d-1, namespace: x, labels: {app: d}}
status:
  phase: Pending
  initContainerStatuses: [{name: prepare, state: {terminated: {exitCode: 0, reason: Completed}}}]
  containerStatuses: [{name: main, state: {waiting: {reason: ImagePullBackOff, message: Back-off pulling image}}}]
`)
		h.exec.Logs = func(_ context.Context, namespace, pod, container string, previous bool, _ int64) ([]string, error) {
			return []string{fmt.Sprintf("%s/%s %s %v", namespace, pod, container, previous)}, nil
		}
		h.cluster.put(t, fmt.Sprintf(`{apiVersion: v1, kind: Event, metadata: {name: e1, namespace: x}, type: Warning, reason: Failed,
  message: no such image, lastTimestamp: "2026-01-01T00:00:00Z", involvedObject: {uid: %s}}`, h.cluster.objects["Pod x/d-1"].GetUID()))
		r := h.run(creates(t, aDeployment)...)
		assert.Equal(t, []string{
			"Applied", "Waiting: Replicas: 0/1",
			"Waiting: Replicas: 0/1; Pod d-1: container main: ImagePullBackOff: Back-off pulling image",
			"Failed: not ready after 1m0s: Replicas: 0/1; Pod d-1: container main: ImagePullBackOff: Back-off pulling image",
		}, h.told("d"))
		assert.Equal(t, []string{
			"Pod d-1: container main: ImagePullBackOff: Back-off pulling image",
			"event Failed: no such image",
			"log d-1/main: x/d-1 main false",
		}, of(r, "d").Details)
		assert.Equal(t, []string{"list Pod x app=d"}, h.cluster.matching("list Pod")[:1])
	})
}

func TestWaitTellsWhyNoPodCanBeMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.exec.Policy.ObjectTimeout = time.Minute
		h.cluster.touch = func(u *unstructured.Unstructured) {
			setCondition(u, "ReplicaFailure", "True", "FailedCreate", "pods is forbidden: exceeded quota")
		}
		h.run(creates(t, aDeployment)...)
		assert.Contains(t, h.told("d"), "Waiting: Replicas: 0/1; FailedCreate: pods is forbidden: exceeded quota")
	})
}

func TestManyFailuresAreNotAllLookedInto(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.cluster.touch = func(u *unstructured.Unstructured) { setCondition(u, "Failed", "True", "R", "m") }
		var text []string
		for i := range 50 {
			text = append(text, fmt.Sprintf("{apiVersion: batch/v1, kind: Job, metadata: {name: j%d, namespace: x}}", i))
		}
		r := h.run(creates(t, strings.Join(text, "\n---\n"))...)
		assert.Equal(t, 50, r.Counts.Failed)
		assert.Equal(t, maxExplained, h.cluster.count("list Event"))
	})
}

func TestWebhooksWaitForTheWorkloadBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		time.AfterFunc(4*time.Second, func() { h.cluster.change("Deployment x/back", rollOut) })
		r := h.run(creates(t, `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: hook}
webhooks: [{name: a, clientConfig: {service: {namespace: x, name: back}}}]
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: back, namespace: x}, spec: {template: {metadata: {labels: {a: b}}}}}
---
{apiVersion: v1, kind: Service, metadata: {name: back, namespace: x}, spec: {selector: {a: b}}}
`)...)
		assert.Equal(t, 3, r.Counts.Created)
		assert.Equal(t, 4*time.Second, of(r, "back").Elapsed)
		calls := h.cluster.matching("apply")
		assert.Equal(t, "apply MutatingWebhookConfiguration /hook", calls[len(calls)-1])
	})
}

func TestUnchangedObjectsKnownByMetadataAreLookedAtBeforeADeletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		text := "{apiVersion: demo.example/v1, kind: Pool, metadata: {name: p, namespace: x}}"
		h.cluster.put(t, text)
		h.cluster.change("Pool x/p", func(u *unstructured.Unstructured) { setCondition(u, "Ready", "False", "", "soon") })
		known := h.cluster.over(t, plan.OpNone, text)
		delete(known.Live, "status")
		time.AfterFunc(5*time.Second, func() {
			h.cluster.change("Pool x/p", func(u *unstructured.Unstructured) { setCondition(u, "Ready", "True", "", "") })
		})
		begun := time.Now()
		old := pruning(t, h, oldConfigMap)
		r := h.run(known, old)
		assert.Equal(t, Counts{Unchanged: 1, Deleted: 1}, r.Counts)
		assert.Equal(t, 5*time.Second, time.Since(begun))
	})
}

func TestClaimsThatWaitForAConsumerAreNotWaitedFor(t *testing.T) {
	for mode, ready := range map[string]bool{"WaitForFirstConsumer": true, "Immediate": false} {
		t.Run(mode, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				h.exec.Policy.ObjectTimeout = time.Minute
				h.cluster.put(t, "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: late}, volumeBindingMode: "+mode+"}")
				claim := "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: %s, namespace: x}, spec: {storageClassName: late}}"
				r := h.run(creates(t, fmt.Sprintf(claim, "a")+"\n---\n"+fmt.Sprintf(claim, "b"))...)
				assert.Equal(t, ready, of(r, "a").Ready)
				assert.Equal(t, ready, of(r, "b").Ready)
				assert.Equal(t, 1, h.cluster.count("get StorageClass"))
				if ready {
					assert.Equal(t, []string{"it is bound when the first Pod uses it"}, of(r, "a").Notes)
				}
			})
		})
	}
}

func TestAFinishedJobIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.cluster.put(t, wasConfigMap)
		done := creates(t, aJob)[0]
		done.Op, done.Finished = plan.OpNone, true
		gone := h.cluster.over(t, plan.OpDelete, wasConfigMap)
		r := h.run(done, gone)
		assert.Equal(t, OutcomeUnchanged, of(r, "j").Outcome)
		assert.Equal(t, 1, r.Counts.Deleted, "it keeps nothing from being deleted")
		assert.Empty(t, h.cluster.matching("watch Job", "get Job"))
	})
}

func TestNobodyWaitsForWhatSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		objects := creates(t, aJob+"\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: after, namespace: x, annotations: {kapp.k14s.io/change-rule: upsert after upserting demo.example/j}}}")
		objects[0].Strategy.NoWait = true
		objects[0].Desired.Body["metadata"].(map[string]any)["annotations"] = map[string]any{"kapp.k14s.io/change-group": "demo.example/j"}
		r := h.run(objects...)
		assert.Equal(t, VerdictDone, r.Verdict)
		assert.Equal(t, OutcomeApplied, of(r, "after").Outcome, "what comes after it does not wait either")
		assert.Equal(t, []string{"Applied"}, h.told("j"))
	})
}

func TestTimeoutsOfOneObject(t *testing.T) {
	for name, c := range map[string]struct {
		run, own, want time.Duration
	}{
		"of the run":    {run: time.Minute, want: time.Minute},
		"of the object": {run: time.Minute, own: 2 * time.Hour, want: 2 * time.Hour},
		"neither":       {want: defaultObjectTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				h.exec.Policy.WaitTimeout = c.run
				objects := creates(t, aJob)
				objects[0].Strategy.WaitTimeout = c.own
				begun := time.Now()
				r := h.run(objects...)
				assert.Equal(t, c.want, time.Since(begun))
				assert.Contains(t, of(r, "j").Reason, "not ready after "+c.want.String())
			})
		})
	}
}

func TestARuleThatUnblocksLetsDependantsStartAndNotDeletions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		rules, err := config.ParseKappConfig([]byte(`apiVersion: kapp.k14s.io/v1alpha1
kind: Config
waitRules:
- resourceMatchers: [apiGroupKindMatcher: {apiGroup: batch, kind: Job}]
  conditionMatchers:
  - {type: Half, status: "True", unblockChanges: true}
  - {type: Bad, status: "True", failure: true, timeout: 5m}
  - {type: Complete, status: "True", success: true}
`), "rules.yaml")
		require.NoError(t, err)
		h.exec.Policy.WaitRules = rules.WaitRules
		h.cluster.put(t, wasConfigMap)
		objects := creates(t, aJob+"\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: after, namespace: x, annotations: {kapp.k14s.io/change-rule: upsert after upserting demo.example/j}}}")
		objects[0].Desired.Body["metadata"].(map[string]any)["annotations"] = map[string]any{"kapp.k14s.io/change-group": "demo.example/j"}
		objects = append(objects, h.cluster.over(t, plan.OpDelete, wasConfigMap))
		time.AfterFunc(time.Second, func() { h.cluster.change("Job x/j", condition("Half")) })
		time.AfterFunc(time.Minute, func() { h.cluster.change("Job x/j", condition("Bad")) })
		time.AfterFunc(5*time.Minute, func() { h.cluster.change("Job x/j", complete) })
		begun := time.Now()
		h.run(objects...)
		at := map[string]time.Duration{}
		for _, e := range h.events {
			at[e.Name+" "+string(e.Type)] = e.Time.Sub(begun)
		}
		assert.Equal(t, time.Second, at["after Applied"])
		assert.Equal(t, 5*time.Minute, at["j Ready"], "a failure that has not lasted is none")
		assert.Equal(t, 5*time.Minute, at["a Deleted"])
	})
}

func condition(name string) func(*unstructured.Unstructured) {
	return func(u *unstructured.Unstructured) { setCondition(u, name, "True", "", "") }
}
