package health

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/readiness"
)

// State is how a workload stands.
type State int

// The states of a workload, the gravest last.
const (
	Healthy State = iota
	Reconciling
	Terminating
	Degraded
)

// Verdict is how one workload stands, and why it isn't healthy.
type Verdict struct {
	State  State
	Reason string
}

// Of judges a Deployment or StatefulSet; anything else is healthy.
func Of(body map[string]any) Verdict {
	u := &unstructured.Unstructured{Object: body}
	if u.GetDeletionTimestamp() != nil {
		return Verdict{Terminating, "it is being deleted"}
	}
	var reason string
	switch u.GetKind() {
	case "Deployment":
		for _, c := range readiness.Conditions(body) {
			if c.Type == "Progressing" && c.Reason == "ProgressDeadlineExceeded" {
				return Verdict{Degraded, c.Text()}
			}
		}
		reason = deployment(numbersOf(u))
	case "StatefulSet":
		reason = statefulSet(u, numbersOf(u))
	}
	if reason != "" {
		return Verdict{Reconciling, reason}
	}
	return Verdict{}
}

// numbers are the counts of a workload.
type numbers struct {
	generation, observed                   int64
	wanted, all, updated, ready, available int64
	paused                                 bool
}

func numbersOf(u *unstructured.Unstructured) numbers {
	at := func(fields ...string) int64 {
		n, _, _ := unstructured.NestedInt64(u.Object, fields...)
		return n
	}
	n := numbers{
		generation: u.GetGeneration(), observed: at("status", "observedGeneration"), wanted: 1,
		all: at("status", "replicas"), updated: at("status", "updatedReplicas"), ready: at("status", "readyReplicas"), available: at("status", "availableReplicas"),
	}
	if wanted, ok, _ := unstructured.NestedInt64(u.Object, "spec", "replicas"); ok {
		n.wanted = wanted
	}
	n.paused, _, _ = unstructured.NestedBool(u.Object, "spec", "paused")
	return n
}

func deployment(n numbers) string {
	switch {
	case n.observed < n.generation:
		return fmt.Sprintf("its controller has seen generation %d of %d", n.observed, n.generation)
	case n.paused:
		return "its rollout is paused"
	case n.updated < n.wanted:
		return fmt.Sprintf("%d of %d replicas are up to date", n.updated, n.wanted)
	case n.all > n.updated:
		return fmt.Sprintf("%d old replicas are still there", n.all-n.updated)
	case n.available < n.wanted:
		return fmt.Sprintf("%d of %d replicas are available", n.available, n.wanted)
	default:
		return ""
	}
}

func statefulSet(u *unstructured.Unstructured, n numbers) string {
	current, _, _ := unstructured.NestedString(u.Object, "status", "currentRevision")
	update, _, _ := unstructured.NestedString(u.Object, "status", "updateRevision")
	onDelete, _, _ := unstructured.NestedString(u.Object, "spec", "updateStrategy", "type")
	partition, _, _ := unstructured.NestedInt64(u.Object, "spec", "updateStrategy", "rollingUpdate", "partition")
	switch {
	case n.observed < n.generation:
		return fmt.Sprintf("its controller has seen generation %d of %d", n.observed, n.generation)
	case n.ready < n.wanted:
		return fmt.Sprintf("%d of %d replicas are ready", n.ready, n.wanted)
	case onDelete == "OnDelete" || partition > 0:
		return "" // that old replicas stay is as it was asked for
	case update != "" && current != update && n.updated < n.wanted:
		return fmt.Sprintf("%d of %d replicas are up to date", n.updated, n.wanted)
	case update != "" && current != update:
		return "its new revision is not the current one yet"
	default:
		return ""
	}
}

// reasonNoWorkloads: there is nothing to look at.
const reasonNoWorkloads = "NoWorkloads"

// mostNamed bounds how many workloads a message names.
const mostNamed = 5

// Sum makes the condition of an application of its workloads, by their names such as
// "Deployment d8a-shop-web". Of those that aren't healthy the gravest are named.
func Sum(workloads map[string]Verdict) status.Condition {
	if len(workloads) == 0 {
		return status.Unknown(status.Scaled, reasonNoWorkloads, "no Deployment and no StatefulSet of it is there")
	}
	worst := Healthy
	for _, v := range workloads {
		worst = max(worst, v.State)
	}
	if worst == Healthy {
		return status.True(status.Scaled)
	}
	var named []string
	for name, v := range workloads {
		if v.State == worst {
			named = append(named, name+": "+v.Reason)
		}
	}
	slices.Sort(named)
	if len(named) > mostNamed {
		named = append(named[:mostNamed], fmt.Sprintf("and %d more", len(named)-mostNamed))
	}
	reason := status.ReasonReconciling
	if worst == Degraded {
		reason = status.ReasonDegraded
	}
	return status.False(status.Scaled, reason, strings.Join(named, "; "))
}
