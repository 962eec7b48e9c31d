package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply/prune"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/undo"
)

// hopeless is the refusal of an atomic run that could not do all of its plan.
func (o *applyOptions) hopeless(p *plan.Plan) error {
	if !o.atomic {
		return nil
	}
	if err := refusals(p); err != nil {
		return exit(ExitRefused, fmt.Errorf("%w\n--atomic does all or nothing: nothing was written", err))
	}
	return nil
}

// takeBack undoes a failed run, if it was to be atomic. failed is why; the error says
// what became of it.
func (o *applyOptions) takeBack(ctx context.Context, env *Env, r round, s sessionSet, result apply.Result, failed error) error {
	written := writtenBy(result)
	switch {
	case !o.atomic || failed == nil:
		return failed
	case result.Verdict == apply.VerdictInterrupted || ctx.Err() != nil:
		return fmt.Errorf("%w\nwhat was written stays, since the run was interrupted: --atomic takes back failures", failed)
	case len(written) == 0:
		return fmt.Errorf("%w\nnothing had been written", failed)
	}
	env.note("The run failed: what it wrote is taken back (--atomic).")
	run := undo.Run{Plan: r.plan, Written: written, Before: r.p.records, Hasher: r.p.hasher}
	back := run.Back()
	for _, ref := range back.Unready {
		env.note("note: %s was not ready before the run either: it is taken back and not waited for", ref)
	}
	err := o.goBack(ctx, env, r, s, back)
	for _, l := range back.Lost {
		env.warn("not taken back: " + l.String())
	}
	var unready *unreadyError
	switch {
	case errors.As(err, &unready) && len(back.Lost) == 0:
		return &ExitError{Code: ExitFailed, Err: fmt.Errorf("%w\neverything that the run wrote was taken back: %w", failed, err)}
	case err != nil:
		return &ExitError{Code: ExitFailed, Err: fmt.Errorf("%w\nit could not be taken back in whole: %w", failed, err)}
	case len(back.Lost) > 0:
		return &ExitError{Code: ExitFailed, Err: fmt.Errorf("%w\nit could not be taken back in whole: see above", failed)}
	}
	return fmt.Errorf("%w\neverything that the run wrote was taken back", failed)
}

// writtenBy are the objects that a run changed in the cluster.
func writtenBy(r apply.Result) map[object.Ref]bool {
	out := map[object.Ref]bool{}
	for _, o := range r.Objects {
		if o.Written {
			out[o.Ref] = true
		}
	}
	return out
}

// goBack plans and runs the way back, and removes records that there were none of.
func (o *applyOptions) goBack(ctx context.Context, env *Env, r round, s sessionSet, back undo.Back) error {
	p, current, planner, err := o.planBack(ctx, env, r, s, back)
	if err != nil {
		return err
	}
	graph, err := plan.Order(current.Objects, p.rules)
	if err != nil {
		return err
	}
	executor, err := o.executor(ctx, env, p, planner, s)
	if err != nil {
		return err
	}
	executor.Policy.MaxPrune = prune.Limit{} // no more is deleted than the run made
	executor.Undoes = map[string]state.Metadata{}
	for name, session := range s {
		before := r.p.records[name]
		session.Describe(state.RunInfo{
			Result: state.ResultUndone, DefaultNamespace: before.DefaultNamespace, FieldManager: before.FieldManager,
			DeleteHooks: append([]state.ReleaseHooks{}, before.DeleteHooks...),
		})
		executor.Undoes[name] = before.Metadata
	}
	tell, err := o.progress.teller(env, o.view.output)
	if err != nil {
		return err
	}
	executor.Events, executor.Heartbeat = tell.event, heartbeat
	result, err := executor.Run(ctx, current, graph)
	tell.close()
	if err != nil {
		return err
	}
	failed := conclude(env, result)
	if refused := refusals(current); refused != nil {
		return errors.Join(failed, refused)
	}
	if err := wentBack(result, failed); err != nil {
		return err
	}
	return removeFresh(ctx, s, r.p.records)
}

// unreadyError are objects that were taken back and did not become ready again.
type unreadyError struct{ refs []string }

// Error names them.
func (e *unreadyError) Error() string {
	return "not ready since is " + strings.Join(e.refs, ", ")
}

// wentBack words the end of a way back: one on which all was written and that only did
// not see objects become ready is no loss.
func wentBack(result apply.Result, failed error) error {
	if result.Verdict != apply.VerdictFailed {
		return failed
	}
	unready := &unreadyError{}
	for _, o := range result.Objects {
		switch {
		case o.Unready:
			unready.refs = append(unready.refs, o.Ref.String())
		case o.Outcome != apply.OutcomeApplied && o.Outcome != apply.OutcomeUnchanged && o.Outcome != apply.OutcomeDeleted:
			return failed
		}
	}
	if len(unready.refs) == 0 {
		return failed
	}
	return unready
}

// planBack compares what was recorded with what is live now.
func (o *applyOptions) planBack(ctx context.Context, env *Env, r round, s sessionSet, back undo.Back) (*prepared, *plan.Plan, plan.Planner, error) {
	p, source := *r.p, *r.p.source
	source.unbuilt = nil
	p.source, p.results, p.inputs, p.records = &source, nil, nil, maps.Clone(r.p.records)
	for _, m := range r.plan.Manifests {
		if s[m.Name] == nil {
			continue
		}
		rec, err := p.store.Read(ctx, m.Name)
		if err != nil {
			return nil, nil, plan.Planner{}, err
		}
		p.records[m.Name] = rec
		p.destroyed = append(p.destroyed, m.Name)
		p.inputs = append(p.inputs, plan.Input{
			Manifest: m.Name, Objects: back.Objects[m.Name], Record: rec, DefaultNamespace: m.DefaultNamespace,
		})
	}
	options := planOptions{policy: o.policy.policy(), refresh: true}
	options.policy.Prune = true
	current, planner, err := p.plan(ctx, env, options)
	if err == nil {
		back.Only(current)
	}
	return &p, current, planner, err
}

// removeFresh removes records that the run made, if they list nothing any more.
func removeFresh(ctx context.Context, s sessionSet, before map[string]*state.Record) error {
	for name, session := range s {
		if before[name].Exists {
			continue
		}
		if err := session.Delete(ctx); err != nil && !errors.Is(err, state.ErrRecordNotEmpty) {
			return err
		}
	}
	return nil
}
