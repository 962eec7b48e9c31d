package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// round is a plan with what it was made from.
type round struct {
	p       *prepared
	plan    *plan.Plan
	planner plan.Planner
}

// plans makes the first plan of a run, and another one where the first is outdated.
type plans func(ctx context.Context, env *Env) (round, error)

// fromFiles plans what the files want.
func (o *applyOptions) fromFiles(ctx context.Context, env *Env) (round, error) {
	p, err := env.prepare(ctx, &o.source)
	if err != nil {
		return round{}, err
	}
	o.view.rules, p.store.Wait = p.rules, o.lockTimeout
	if err := p.source.needRecord(); err != nil && o.dryRun == "none" {
		return round{}, err
	}
	current, planner, err := p.plan(ctx, env, o.planOptions())
	return round{p, current, planner}, err
}

// lock takes the locks that the run needs. If another run wrote a record since the
// plan was made, the plan is made again under the locks taken so far, so that
// nobody comes in between a second time. The locks are returned with an error too.
func (o *applyOptions) lock(ctx context.Context, env *Env, r *round) (sessionSet, error) {
	sessions := sessionSet{}
	for tries := 0; ; tries++ {
		err := r.p.begin(ctx, sessions, r.plan, o.operation, o.everyRecord)
		var moved *movedError
		if !errors.As(err, &moved) || tries > len(r.plan.Manifests) {
			return sessions, err
		}
		if err := o.replace(ctx, env, r, moved); err != nil {
			return sessions, err
		}
	}
}

// replace makes an outdated plan again. The new one may differ from what was shown
// only if nobody has to be asked: then it is shown as well.
func (o *applyOptions) replace(ctx context.Context, env *Env, r *round, moved *movedError) error {
	env.note("Another run changed the record of manifest %s meanwhile: comparing again.", moved.manifest)
	next, err := o.plans(ctx, env)
	if err != nil {
		return err
	}
	shown := r.plan
	*r = next
	switch {
	case unserved(r.plan) != nil:
		return unserved(r.plan)
	case !acts(r.plan), sameAsShown(shown, r.plan):
		return nil
	case o.saved != nil:
		return o.stale([]string{"another run changed the record, and what would be done with it"})
	case !o.yes:
		return moved
	}
	return o.view.print(ctx, env, o.view.report(r.plan))
}

// noteCutOff says of records whose last run did not end that this one goes on.
func (r round) noteCutOff(env *Env) {
	for _, m := range r.plan.Manifests {
		if m.Record == nil || m.Record.LastRun.Result != state.ResultRunning {
			continue
		}
		begun := 0
		for _, e := range m.Record.Entries {
			if e.ContentHash == "" {
				begun++
			}
		}
		last := m.Record.LastRun
		env.note("Manifest %s: the last run (%s by %s@%s, %s) was killed, or is not done yet. %s begun and not confirmed; this run goes on from there.",
			m.Name, last.Operation, last.User, last.Host, last.Time.UTC().Format("2006-01-02 15:04:05Z"), isOrAre(begun, "object"))
	}
}

// noteLosses says what goes with deletions where only the table was shown.
func (r round) noteLosses(env *Env, summary bool) {
	if !summary {
		return
	}
	for _, o := range r.plan.Objects {
		if !o.Leaves() {
			continue
		}
		for _, text := range o.Notes {
			env.note("note: %s: %s", o.Ref, text)
		}
	}
}

func isOrAre(n int, noun string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s is", noun)
	}
	return fmt.Sprintf("%d %ss are", n, noun)
}
