package runtime

import (
	"context"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/lifecycle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// disable stops the hooks. Unless the objects are to be kept, they are taken away
// before: beforeDeleteHelm, the release, afterDeleteHelm.
func (r *Runtime) disable(a *app, keep bool) task {
	return task{name: "Disable", of: status.HooksProcessed, reason: status.ReasonHookFailed, clears: true, do: func(ctx context.Context) error {
		r.Drift.Forget(a.name)
		if !keep {
			if err := r.takeAway(ctx, a); err != nil {
				return err
			}
			r.Health.Forget(a.namespace, a.instance)
		}
		return r.stopHooks(ctx, a)
	}}
}

// takeAway runs the hooks of a removal around the uninstallation. What was done by an
// earlier try is not done again.
func (r *Runtime) takeAway(ctx context.Context, a *app) error {
	v := r.view(a)
	if v.taken == nothingTaken && !v.before {
		there, err := r.Releases.Latest(ctx, a.namespace, a.instance)
		if err != nil {
			return because(status.ManifestsApplied, status.ReasonCheckReleaseFailed, err)
		}
		if there == nil {
			return nil // it was never installed: hooks have nothing to look back on
		}
	}
	if err := r.prepareHooks(ctx, a, v); err != nil {
		return err
	}
	for _, step := range []struct {
		reaches progress
		do      func() error
	}{
		{beforeDelete, func() error { return r.stage(ctx, a, binding.BeforeDeleteHelm) }},
		{uninstalled, func() error {
			return because(status.ManifestsApplied, status.ReasonApplyManifestsFailed, r.Releases.Uninstall(ctx, a.namespace, a.instance, r.waits(a)))
		}},
		{afterDelete, func() error { return r.stage(ctx, a, binding.AfterDeleteHelm) }},
	} {
		if v.taken >= step.reaches {
			continue
		}
		if err := step.do(); err != nil {
			return err
		}
		r.set(func() { a.taken = step.reaches })
	}
	r.set(func() { a.ran = false })
	return nil
}

// prepareHooks makes sure that the hooks of a removal have values, and see what is
// there. A binding that can't be followed any more holds up only the hook that needs it.
func (r *Runtime) prepareHooks(ctx context.Context, a *app, v view) error {
	if err := r.assume(ctx, a, v); err != nil {
		return err
	}
	if len(v.loaded.Stage(binding.BeforeDeleteHelm))+len(v.loaded.Stage(binding.AfterDeleteHelm)) == 0 {
		return nil
	}
	if _, err := r.watch(ctx, a, v); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r.Log.Warn("hooks of the removal may not see everything", "application", a.name, "error", r.scrub(a, err.Error()))
	}
	return nil
}

// stopHooks ends schedules, watches and runs of hooks.
func (r *Runtime) stopHooks(ctx context.Context, a *app) error {
	if monitor := r.takeMonitor(a); monitor != nil {
		monitor.Stop()
	}
	return r.queues.DropBelow(ctx, a.name, &lifecycle.CanceledError{Cause: lifecycle.HooksStopped})
}
