package command

import (
	"context"
	"reflect"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// again makes the plan once more after another run came in between, and goes on
// only with what was shown: the same changes of the same objects. No lock is held
// when it is called. Standard input was read already, so it can't be read again.
func (o *applyOptions) again(ctx context.Context, env *Env, shown *plan.Plan, moved *movedError) error {
	if o.source.readsStdin() {
		return moved
	}
	env.note("Another run changed the record of manifest %s meanwhile: comparing again.", moved.manifest)
	p, err := env.prepare(ctx, &o.source)
	if err != nil {
		return err
	}
	o.view.rules = p.rules
	current, planner, err := p.plan(ctx, env, o.planOptions())
	if err != nil {
		return err
	}
	if !acts(current) {
		return o.nothingToDo(env, current)
	}
	// With the values of Secrets, which differ where their masked forms don't;
	// neither report leaves this function.
	open := object.Masker{Show: true}
	if !sameChanges(shown.Report(open), current.Report(open)) {
		return moved
	}
	return o.execute(ctx, env, p, current, planner)
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
