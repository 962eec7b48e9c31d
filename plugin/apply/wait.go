package apply

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/readiness"
)

// waitReady looks at the server's answer to a write, or at an unchanged object,
// and waits if that doesn't show it ready and somebody cares.
func (r *run) waitReady(n *node, u *unstructured.Unstructured) {
	verdict := r.readinessOf(n, u)
	if bare(u.Object) && (hasReadiness(n.planned.Ref) || r.isRuled(n, u)) {
		verdict = readiness.Verdict{State: readiness.Waiting, Reason: "not looked at yet"}
	}
	switch {
	case verdict.State == readiness.Ready:
		r.becomeReady(n, verdict)
	case !r.mustWait(n):
		r.settle(n, n.goodOutcome(), because{})
	default:
		r.wait(n, u, verdict.Reason)
		if n.phase == phaseWaiting {
			r.judge(n, verdict)
		}
	}
}

// bare tells an object of which only the metadata was read: what a record or an
// earlier run proves to be as wanted is not read as a whole.
func bare(body map[string]any) bool {
	for key := range body {
		if key != "apiVersion" && key != "kind" && key != "metadata" {
			return false
		}
	}
	return true
}

// hasReadiness tells whether metadata is not enough to call a kind ready.
func hasReadiness(ref object.Ref) bool {
	return !object.BuiltIn(ref.Group) || readiness.IsJudged(ref.GroupKind()) || isDefinition(ref) || ref.Kind == "PersistentVolumeClaim"
}

// mustWait tells whether anything depends on the object getting ready. What is
// unchanged is no concern of the run unless something is deleted at its end.
func (r *run) mustWait(n *node) bool {
	if n.planned.Strategy.NoWait {
		return false
	}
	if n.wantsReady() {
		return true
	}
	return !r.exec.Policy.NoWait && (n.planned.Op.Writes() || n.planned.Op == plan.OpExists || r.deletes && !r.exec.Policy.IgnoreUnchanged || r.answers(n))
}

// answers tells whether the run answers for an object even if it doesn't change it:
// as its policy, or because it goes on where an earlier run ended.
func (r *run) answers(n *node) bool { return r.exec.Policy.Answerable || n.planned.Awaited }

func (n *node) goodOutcome() Outcome {
	if n.planned.Op.Writes() {
		return OutcomeApplied
	}
	return OutcomeUnchanged
}

// wait hands an object to the tracker, with a limit.
func (r *run) wait(n *node, u *unstructured.Unstructured, reason string) {
	n.phase, n.latest, n.waitReason = phaseWaiting, u, reason
	r.recordAwaited(n, r.answers(n) || n.planned.Op.Writes())
	limit := r.waitTimeout(n)
	switch {
	case r.interrupted:
		r.leaveWaiting(n)
		return
	case r.timedOut:
		r.timeOut(n, r.exec.Policy.Timeout)
		return
	}
	r.event(n, EventWaiting, r.clean(n.planned, reason))
	begun := n.applied
	r.after(limit, func() {
		if n.phase == phaseWaiting && n.applied.Equal(begun) {
			r.timeOut(n, limit)
		}
	})
	r.watchIdle(n)
	r.tracker.add(n)
	r.pods.add(n)
	r.claims.add(n)
	if n.planned.Op == plan.OpNone && isDefinition(n.planned.Ref) {
		// Definitions can be very large and are mostly as they should be: the
		// answer is likely here before the watch has shown all of them.
		r.tracker.ask(n)
	}
}

// look takes in a newer state of an object that is waited for.
func (r *run) look(n *node, u *unstructured.Unstructured) {
	if n.phase != phaseWaiting || older(u.GetResourceVersion(), n.version) {
		return
	}
	if n.uid != "" && u.GetUID() != n.uid {
		r.vanished(n)
		return
	}
	n.latest, n.version = u, u.GetResourceVersion()
	r.changed(n)
	if n.step == stepGone {
		r.setReason(n, readiness.Held(u.Object))
		return
	}
	r.judge(n, r.readinessOf(n, u))
}

// judge draws the consequence of a verdict.
func (r *run) judge(n *node, verdict readiness.Verdict) {
	switch verdict.State {
	case readiness.Ready:
		r.becomeReady(n, verdict)
	case readiness.Waiting:
		r.judgeWaiting(n, verdict)
	case readiness.Failed:
		r.judgeFailed(n, verdict)
	}
}

// judgeFailed tells a failure of this change from one that stood there before.
func (r *run) judgeFailed(n *node, verdict readiness.Verdict) {
	before := r.before(n)
	since := r.clock.Since(n.applied)
	switch {
	case before.State != readiness.Failed || before.Reason != verdict.Reason:
		r.explain(n, because{reason: r.clean(n.planned, verdict.Reason)})
	case n.untouched() && !r.answers(n):
		r.stillNotReady(n, verdict.Reason)
	case since < staleGrace && (n.planned.Op.Writes() || !n.planned.Awaited):
		// The controller may not have looked at the change yet.
		r.setReason(n, verdict.Reason)
		latest := n.latest
		r.after(staleGrace-since, func() {
			if n.phase == phaseWaiting && n.latest == latest {
				r.judgeFailed(n, verdict)
			}
		})
	default:
		r.explain(n, because{reason: r.clean(n.planned, verdict.Reason)})
	}
}

// before is the verdict on the object as the plan found it; ready where there
// was none.
func (r *run) before(n *node) readiness.Verdict {
	o := n.planned
	if o.Live == nil || o.Op == plan.OpReplace || uidOf(o.Live) != n.uid {
		return readiness.Verdict{State: readiness.Ready}
	}
	return r.readinessOf(n, &unstructured.Unstructured{Object: o.Live})
}

// untouched tells that the run has not changed what makes an object ready: it
// wrote nothing, or nothing that counts as a new generation.
func (n *node) untouched() bool {
	if !n.planned.Op.Writes() {
		return true
	}
	was := (&unstructured.Unstructured{Object: n.planned.Live}).GetGeneration()
	return was > 0 && n.latest != nil && n.latest.GetGeneration() == was
}

// stillNotReady settles an object that failed before the run and does so after
// it: no failure of the run, but nothing that others could build on either.
func (r *run) stillNotReady(n *node, reason string) {
	text := "still not ready (was so before): " + r.clean(n.planned, reason)
	r.warn(n, text)
	r.settle(n, n.goodOutcome(), because{reason: text})
}

func (r *run) becomeReady(n *node, verdict readiness.Verdict) {
	n.ready = true
	r.recordAwaited(n, false)
	if verdict.Note != "" {
		n.notes = append(n.notes, verdict.Note)
	}
	if isDefinition(n.planned.Ref) && n.written {
		r.exec.Client.InvalidateDiscovery()
	}
	r.settle(n, n.goodOutcome(), because{reason: verdict.Note})
}

// vanished takes in that an object is gone, or is another one by now.
func (r *run) vanished(n *node) {
	switch {
	case n.phase != phaseWaiting:
	case n.step == stepGone:
		r.tracker.drop(n)
		r.gone(n)
	case n.latest != nil && readiness.CleansUp(n.latest):
		r.becomeReady(n, readiness.Verdict{Note: "it finished and cleaned itself up; whether it succeeded was not seen"})
	default:
		r.fail(n, because{reason: "somebody deleted it while the run waited for it"})
	}
}

// timeOut ends a wait that took too long.
func (r *run) timeOut(n *node, limit time.Duration) {
	reason := r.clean(n.planned, n.reason())
	switch {
	case n.step == stepGone:
		r.explain(n, because{reason: fmt.Sprintf("not gone after %s: %s", limit, reason)})
	case n.untouched() && !r.answers(n) && r.before(n).State != readiness.Ready:
		r.stillNotReady(n, n.reason())
	default:
		r.explain(n, because{reason: fmt.Sprintf("not ready after %s: %s", limit, reason)})
	}
}

// reason joins what the object says with what its Pods say.
func (n *node) reason() string {
	if n.podReason == "" {
		return n.waitReason
	}
	return n.waitReason + "; " + n.podReason
}

// setReason tells why it is still waited for, when that has changed.
func (r *run) setReason(n *node, reason string) {
	if n.waitReason != reason {
		n.waitReason = reason
		r.event(n, EventWaiting, r.clean(n.planned, n.reason()))
	}
}

func (r *run) setPodReason(n *node, reason string) {
	if n.phase == phaseWaiting && n.podReason != reason {
		n.podReason = reason
		r.changed(n)
		r.event(n, EventWaiting, r.clean(n.planned, n.reason()))
	}
}

// older compares resource versions of one kind. What can't be compared is taken
// as new.
func older(version, than string) bool {
	if than == "" {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(version, than)
	return err == nil && order < 0
}
