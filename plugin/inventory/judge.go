package inventory

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/readiness"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// Words for how far a recorded object has come; the original tool's.
const (
	Ready    = "Ready"
	NotReady = "NotReady"
	Missing  = "Missing"
	Unknown  = "Error" // it can't be read
)

// Judge says how far the object of an entry has come, by the user's wait rules
// first and else as apply does, and why.
func Judge(e state.Entry, f Found, rules []config.WaitRule) (status, reason string) {
	switch {
	case f.Err != nil:
		return Unknown, f.Err.Error()
	case (f.Object == nil || f.Object.GetDeletionTimestamp() != nil) && hasRun(e):
		return Ready, "it has run, and is removed after its time"
	case f.Object == nil:
		return Missing, ""
	}
	strategy, err := plan.StrategyOf(f.Object.Object)
	if err != nil {
		return Unknown, err.Error()
	}
	v := plan.Readiness(strategy, rules, f.Object)
	switch v.State {
	case readiness.Ready:
		return Ready, v.Note
	case readiness.Failed:
		return NotReady, "failed: " + v.Reason
	case readiness.Waiting:
	}
	return NotReady, v.Reason
}

// hasRun tells that an object which isn't there was applied, and removes itself.
func hasRun(e state.Entry) bool {
	body := e.LastApplied()
	return e.ContentHash != "" && body != nil && readiness.CleansUp(&unstructured.Unstructured{Object: body})
}
