package apply

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/readiness"
)

// readinessOf judges a state of the node's object as the whole program does.
func (r *run) readinessOf(n *node, u *unstructured.Unstructured) readiness.Verdict {
	return plan.Readiness(n.planned.Strategy, r.exec.Policy.WaitRules, u)
}

// isRuled tells that the user says when the object is ready.
func (r *run) isRuled(n *node, u *unstructured.Unstructured) bool {
	return plan.IsRuled(n.planned.Strategy, r.exec.Policy.WaitRules, u.Object)
}

// failing is a condition that counts as a failure once it has lasted.
type failing struct {
	condition string
	since     time.Time
}

// judgeWaiting goes on waiting, lets dependants start where a rule says so, and
// fails the object once a failing condition has lasted long enough.
func (r *run) judgeWaiting(n *node, verdict readiness.Verdict) {
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
				reason := verdict.Reason + " (for " + verdict.FailsAfter.String() + ")"
				r.judgeFailed(n, readiness.Verdict{State: readiness.Failed, Reason: reason})
			}
		})
	}
}
