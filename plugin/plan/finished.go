package plan

import (
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/readiness"
)

// hasFinished tells a Job that was applied as the files want it, says itself that it
// goes some time after it has run, and is gone. It is not missing, and making it
// again would run it again.
func (p Planner) hasFinished(w *wanted) bool {
	if !w.recorded || !readiness.CleansUp(w.out.Desired.Unstructured()) {
		return false
	}
	same, err := w.out.hasContent(p.Hasher, w.entry.ContentHash)
	return err == nil && same
}

// decideFinished plans nothing for such a Job.
func (o *Object) decideFinished() {
	o.Finished = true
	o.Notes = append(o.Notes, "it has run and cleaned itself up (ttlSecondsAfterFinished); a change of it runs it again")
}
