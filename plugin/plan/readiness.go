package plan

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/readiness"
)

// Readiness tells how far an object has come as it is live: by what its annotations
// say, else by the first of the user's rules that matches it, else by itself. What
// is being deleted won't become ready, whatever anybody says.
func Readiness(s Strategy, rules []config.WaitRule, live *unstructured.Unstructured) readiness.Verdict {
	if live == nil || live.Object == nil || readiness.Dying(live.Object) != "" {
		return readiness.Of(live)
	}
	if verdict, ok := s.judgeWait(rules, live.Object); ok {
		return verdict.readiness()
	}
	out := readiness.Of(live)
	if out.State == readiness.Waiting && s.MinimumReplicas != nil && readiness.IsDeployment(live) {
		return readiness.Enough(live, s.MinimumReplicas.Of, out)
	}
	return out
}

// IsRuled tells that the user says when the object is ready, so that its metadata is
// not enough to know.
func IsRuled(s Strategy, rules []config.WaitRule, live map[string]any) bool {
	_, ok := s.judgeWait(rules, live)
	return ok
}

// judgeWait asks the object's own expressions or the rules.
func (s Strategy) judgeWait(rules []config.WaitRule, live map[string]any) (WaitVerdict, bool) {
	if s.ReadyWhen != nil || s.FailedWhen != nil {
		own := config.WaitRule{At: config.Place{Rule: "annotations of the object"}, Ready: s.ReadyWhen, Failed: s.FailedWhen}
		return judgeConditions(own, live), true
	}
	return JudgeWait(rules, live)
}

func (v WaitVerdict) readiness() readiness.Verdict {
	switch {
	case v.Done:
		return readiness.Verdict{State: readiness.Ready}
	case v.Failed:
		return readiness.Verdict{State: readiness.Failed, Reason: v.Reason}
	default:
		return readiness.Verdict{
			State: readiness.Waiting, Reason: v.Reason, Unblock: v.Unblock, FailsAfter: v.FailsAfter, Condition: v.Condition,
		}
	}
}
