package command

import (
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// goesOn reports whether an earlier run ended while it waited for something that is
// still not ready, so that this one has to wait although it writes nothing: a job that
// is repeated must not turn green by that alone. Where something has failed there is
// nothing to wait for.
func (o *applyOptions) goesOn(p *plan.Plan) bool {
	if !o.wait || o.everyRecord {
		return false
	}
	unready := p.NotReady()
	return !slices.ContainsFunc(unready, func(u plan.Unready) bool { return u.Failed }) &&
		slices.ContainsFunc(unready, func(u plan.Unready) bool { return u.Awaited })
}
