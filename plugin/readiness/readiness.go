package readiness

import (
	"fmt"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// State is how far an object has come.
type State int

// States of readiness.
const (
	Waiting State = iota // not yet
	Ready
	Failed // will not become ready by waiting
)

// Verdict is how far one object has come, as it stands.
type Verdict struct {
	State State
	// Reason says what is missing or wrong; empty when ready.
	Reason string
	// Note is something a user should know of an object that counts as ready.
	Note string
	// Unblock lets dependants start while the object is still waited for; only
	// wait rules say so.
	Unblock bool
	// FailsAfter, where it is not 0, is how long Condition has to stay as it is for
	// a waiting object to count as failed.
	FailsAfter time.Duration
	Condition  string
}

// Of judges an object by itself: kstatus, but where that says ready too
// early, or failed about what may pass.
func Of(u *unstructured.Unstructured) Verdict {
	if u == nil || u.Object == nil {
		return waiting("not seen yet")
	}
	if reason := Dying(u.Object); reason != "" {
		return failed(reason)
	}
	if judge := judgeOf(u.GroupVersionKind().GroupKind()); judge != nil {
		return judge(u)
	}
	if reason := staleCondition(u); reason != "" {
		return waiting(reason)
	}
	return byStatus(u)
}

// IsJudged tells the kinds whose readiness is in their status, although kstatus
// may think otherwise.
func IsJudged(gk schema.GroupKind) bool { return judgeOf(gk) != nil }

// judgeOf is the list of exceptions from kstatus.
func judgeOf(gk schema.GroupKind) func(*unstructured.Unstructured) Verdict {
	switch gk {
	case schema.GroupKind{Group: "batch", Kind: "Job"}:
		return jobReadiness
	case schema.GroupKind{Group: "apps", Kind: "DaemonSet"}:
		return daemonSetReadiness
	case schema.GroupKind{Group: "apps", Kind: "StatefulSet"}:
		return statefulSetReadiness
	case schema.GroupKind{Group: "apps", Kind: "ReplicaSet"}:
		return observedFirst
	case schema.GroupKind{Group: "apps", Kind: "Deployment"}:
		return deploymentReadiness
	case schema.GroupKind{Kind: "Pod"}:
		return podReadiness
	case schema.GroupKind{Group: "apiregistration.k8s.io", Kind: "APIService"}:
		return apiServiceReadiness
	case schema.GroupKind{Group: "kappctrl.k14s.io", Kind: "App"},
		schema.GroupKind{Group: "packaging.carvel.dev", Kind: "PackageInstall"},
		schema.GroupKind{Group: "packaging.carvel.dev", Kind: "PackageRepository"}:
		return carvelReadiness
	default:
		return nil
	}
}

// byStatus asks kstatus. An object whose status it can't read has a shape of its
// own, and nobody can say what it means.
func byStatus(u *unstructured.Unstructured) Verdict {
	result, err := status.Compute(u)
	if err != nil {
		return Verdict{State: Ready, Note: "its status has an unusual form, so readiness could not be told"}
	}
	switch result.Status {
	case status.CurrentStatus:
		return Verdict{State: Ready}
	case status.FailedStatus:
		return failed(result.Message)
	case status.InProgressStatus, status.TerminatingStatus, status.NotFoundStatus, status.UnknownStatus:
		return waiting(result.Message)
	default:
		return waiting(string(result.Status))
	}
}

func waiting(reason string) Verdict { return Verdict{State: Waiting, Reason: reason} }

func failed(reason string) Verdict { return Verdict{State: Failed, Reason: reason} }

// observedFirst waits until the controller has seen the object at all: a count
// of zero in a fresh status means nothing.
func observedFirst(u *unstructured.Unstructured) Verdict {
	if reason := unobserved(u); reason != "" {
		return waiting(reason)
	}
	return byStatus(u)
}

// unobserved says that a controller has yet to look at this generation.
func unobserved(u *unstructured.Unstructured) string {
	seen, found, err := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	switch {
	case err != nil || !found:
		return "its controller has not looked at it yet"
	case seen < u.GetGeneration():
		return fmt.Sprintf("its controller has seen generation %d of %d", seen, u.GetGeneration())
	default:
		return ""
	}
}

// staleCondition says that a Ready condition belongs to an older generation.
func staleCondition(u *unstructured.Unstructured) string {
	for _, c := range Conditions(u.Object) {
		if c.Type == "Ready" && c.ObservedGeneration > 0 && c.ObservedGeneration < u.GetGeneration() {
			return fmt.Sprintf("condition Ready is about generation %d of %d", c.ObservedGeneration, u.GetGeneration())
		}
	}
	return ""
}

// Condition is what most kinds have in status.conditions.
type Condition struct {
	Type, Status, Reason, Message string
	ObservedGeneration            int64
}

// Text joins reason and message.
func (c Condition) Text() string {
	switch {
	case c.Message == "":
		return c.Reason
	case c.Reason == "":
		return c.Message
	default:
		return c.Reason + ": " + c.Message
	}
}

// Conditions reads status.conditions, leaving out what is none.
func Conditions(body map[string]any) []Condition {
	status, _ := body["status"].(map[string]any)
	list, _ := status["conditions"].([]any)
	out := make([]Condition, 0, len(list))
	for _, item := range list {
		m, ok := item.(map[string]any)
		if !ok {
			continue
		}
		text := func(key string) string { s, _ := m[key].(string); return s }
		c := Condition{Type: text("type"), Status: text("status"), Reason: text("reason"), Message: text("message")}
		c.ObservedGeneration, _ = m["observedGeneration"].(int64)
		out = append(out, c)
	}
	return out
}

// conditionOf finds a condition; zero when there is none.
func conditionOf(body map[string]any, kind string) Condition {
	for _, c := range Conditions(body) {
		if c.Type == kind {
			return c
		}
	}
	return Condition{}
}
