package command

import (
	"reflect"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// sameAsShown compares two plans with the values of Secrets, which differ where
// their masked forms don't; neither report leaves this function.
func sameAsShown(a, b *plan.Plan) bool {
	open := object.Masker{Show: true}
	return sameChanges(a.Report(open), b.Report(open))
}

// sameChanges compares what two plans write, as it was shown.
func sameChanges(a, b *plan.Report) bool {
	return reflect.DeepEqual(changesShown(a), changesShown(b)) && reflect.DeepEqual(a.RecordOnly, b.RecordOnly)
}

// changesShown are the objects that differ, without what passes by itself: an
// object's readiness.
func changesShown(r *plan.Report) []plan.ObjectReport {
	var out []plan.ObjectReport
	for _, o := range r.Objects {
		if o.Op == plan.OpNone {
			continue
		}
		o.State, o.Info = "", ""
		out = append(out, o)
	}
	return out
}
