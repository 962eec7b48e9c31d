package apply

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// readinessOf judges an object of the run: by the first of the user's wait rules
// that matches it, else as ReadinessOf does. What is being deleted won't become
// ready, whatever its conditions say.
func (r *run) readinessOf(u *unstructured.Unstructured) Readiness {
	if u == nil || u.Object == nil || dyingReason(u.Object) != "" {
		return ReadinessOf(u)
	}
	verdict, ok := plan.JudgeWait(r.exec.Policy.WaitRules, u.Object)
	switch {
	case !ok:
		return ReadinessOf(u)
	case verdict.Done:
		return Readiness{State: StateReady}
	case verdict.Failed:
		return failed(verdict.Reason)
	}
	out := waiting(verdict.Reason)
	out.Unblock, out.FailsAfter, out.Condition = verdict.Unblock, verdict.FailsAfter, verdict.Condition
	return out
}

// isRuled tells that a wait rule matches the object, so that metadata is not enough
// to call it ready.
func (r *run) isRuled(body map[string]any) bool {
	_, ok := plan.JudgeWait(r.exec.Policy.WaitRules, body)
	return ok
}

// failing is a condition that counts as a failure once it has lasted.
type failing struct {
	condition string
	since     time.Time
}

// judgeWaiting goes on waiting, lets dependants start where a rule says so, and
// fails the object once a failing condition has lasted long enough.
func (r *run) judgeWaiting(n *node, verdict Readiness) {
	r.setReason(n, verdict.Reason)
	if verdict.Unblock {
		r.arrive(n, plan.NeedReady)
	}
	switch {
	case verdict.FailsAfter == 0:
		n.failing = failing{}
	case n.failing.condition != verdict.Condition:
		n.failing = failing{condition: verdict.Condition, since: r.clock.Now()}
		begun := n.failing
		r.after(verdict.FailsAfter, func() {
			if n.phase == phaseWaiting && n.failing == begun {
				r.judgeFailed(n, failed(verdict.Reason+" (for "+verdict.FailsAfter.String()+")"))
			}
		})
	}
}
