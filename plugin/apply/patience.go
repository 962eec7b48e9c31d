package apply

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// An object may say itself how much patience it wants: how long nothing may change on
// it, and how often its containers may fail. Nobody else is that impatient: what fails
// in the beginning, since something else is not up yet, mostly gets over it.

// changed notes that something is going on with an object.
func (r *run) changed(n *node) { n.moved = r.clock.Now() }

// watchIdle fails an object on which nothing has changed for as long as it allows.
func (r *run) watchIdle(n *node) {
	limit := n.planned.Strategy.Idle
	if limit <= 0 || n.step == stepGone {
		return
	}
	r.changed(n)
	begun := n.applied
	var look func()
	look = func() {
		if n.phase != phaseWaiting || !n.applied.Equal(begun) {
			return
		}
		if left := limit - r.clock.Since(n.moved); left > 0 {
			r.after(left, look)
			return
		}
		r.explain(n, because{reason: fmt.Sprintf("nothing has changed on it for %s: %s", limit, r.clean(n.planned, n.reason()))})
	}
	r.after(limit, look)
}

// countFailures fails a workload the containers of which have failed more often than it
// allows. pods are those that its selector finds.
func (r *run) countFailures(n *node, pods []*unstructured.Unstructured) {
	allowed := n.planned.Strategy.FailuresAllowed
	if allowed == nil || n.phase != phaseWaiting {
		return
	}
	replicas := max(1, replicasOf(n.latest))
	if failures := failuresOf(pods, r.writtenAt(n)); failures > *allowed*replicas {
		r.explain(n, because{reason: fmt.Sprintf("its containers have failed %d times, and %d are allowed (%d for each of %d replicas): %s",
			failures, *allowed*replicas, *allowed, replicas, r.clean(n.planned, n.reason()))})
	}
}

// writtenAt is when the object was written, by the server's own clock: Pods that are
// older have failed before that. Zero for an object that is new, or that wasn't written.
func (r *run) writtenAt(n *node) time.Time {
	var at time.Time
	if n.latest == nil || n.planned.Live == nil {
		return at
	}
	for _, e := range n.latest.GetManagedFields() {
		if e.Operation == metav1.ManagedFieldsOperationApply && e.Manager == r.exec.Policy.FieldManager && e.Time != nil {
			at = e.Time.Time
		}
	}
	return at
}

func replicasOf(u *unstructured.Unstructured) int {
	for _, field := range []string{"replicas", "parallelism"} {
		if n, ok, _ := unstructured.NestedInt64(u.Object, "spec", field); ok {
			return int(n)
		}
	}
	return 1
}

// failuresOf counts how often containers were started again, and Pods that have failed
// for good.
func failuresOf(pods []*unstructured.Unstructured, since time.Time) int {
	count := 0
	for _, pod := range pods {
		if pod.GetCreationTimestamp().Time.Before(since) {
			continue
		}
		if phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase"); phase == "Failed" {
			count++
		}
		for _, field := range []string{"initContainerStatuses", "containerStatuses"} {
			list, _, _ := unstructured.NestedSlice(pod.Object, "status", field)
			for _, item := range list {
				status, _ := item.(map[string]any)
				if n, ok := status["restartCount"].(int64); ok {
					count += int(n)
				}
			}
		}
	}
	return count
}
