package runtime

import (
	"context"
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/lifecycle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schedule"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// dispatch does what the scheduler's events ask for. Runtime.mu is held.
func (r *Runtime) dispatch(events []schedule.Event) {
	for _, e := range events {
		a, ok := r.apps[e.Name]
		if !ok {
			continue
		}
		switch e.Kind {
		case schedule.Decided:
			r.tellDecision(a, e.Decision)
		case schedule.Run:
			r.reconcile(a, e.Reason)
		case schedule.TakeAway:
			r.suspend(a)
		}
	}
}

// tellDecision reports whether the requirements hold.
func (r *Runtime) tellDecision(a *app, d schedule.Decision) {
	if d.Enabled() {
		r.Store.Set(a.name, status.True(status.RequirementsMet))
		return
	}
	r.Log.Info("requirements are not met", "application", a.name, "reason", d.Reason, "message", d.Message)
	r.Store.Set(a.name, status.False(status.RequirementsMet, d.Reason, d.Message))
}

// ofRun are the conditions that a run reports.
func ofRun() []status.Type {
	return []status.Type{status.Configured, status.HooksProcessed, status.ManifestsApplied, status.IsReady}
}

// replace brings another package, and all that follows. What runs of the one before is
// stopped and its objects stay.
func (r *Runtime) replace(a *app) {
	ctx, ok := a.operations.Update(r.ctx)
	if !ok {
		return
	}
	r.dispatch(r.scheduler.Remove(a.name))
	r.Store.SetVersion(a.name, a.desired.Version)
	r.Store.Forget(a.name, append(ofRun(), status.ReadyOnFilesystem, status.Loaded)...)
	if a.loaded != nil {
		r.add(ctx, a, r.disable(a, true))
	}
	r.add(ctx, a, r.download(a))
	r.add(ctx, a, r.load(a, true))
}

// again runs an application once more, if it is scheduled. If it isn't, what has changed
// is read when it is.
func (r *Runtime) again(a *app, trigger lifecycle.Trigger) {
	if events, ok := r.scheduler.Again(a.name, string(trigger)); ok {
		r.dispatch(events)
	}
}

// Again runs an application once more.
func (r *Runtime) Again(name string, trigger lifecycle.Trigger) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a, ok := r.apps[name]; ok {
		r.again(a, trigger)
	}
}

// Missing tells that objects of an application are gone: they are brought back.
func (r *Runtime) Missing(name string, refs []object.Ref) {
	names := make([]string, len(refs))
	for i, ref := range refs {
		names[i] = ref.String()
	}
	r.Log.Info("objects are missing", "application", name, "objects", names)
	r.Again(name, lifecycle.DriftDetected)
}

// reconcile configures and applies what is loaded.
func (r *Runtime) reconcile(a *app, reason string) {
	ctx, ok := a.operations.Reconcile(r.ctx)
	if !ok {
		return
	}
	r.Log.Info("reconciliation", "application", a.name, "because", reason)
	if a.stale {
		r.add(ctx, a, r.load(a, false))
	}
	r.add(ctx, a, r.configure(a))
	r.add(ctx, a, r.enable(a))
	t := r.run(a)
	t.done = func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.dispatch(r.scheduler.Complete(a.name))
	}
	r.add(ctx, a, t)
}

// suspend takes an application away whose requirements don't hold any more.
func (r *Runtime) suspend(a *app) {
	ctx, ok := a.operations.Suspend(r.ctx)
	if !ok {
		return
	}
	r.Store.Forget(a.name, ofRun()...)
	t := r.disable(a, false)
	t.done = func() { r.set(func() { a.stale = true }) }
	r.add(ctx, a, t)
}

// teardown removes an application: as much of it as the package that is loaded by now
// can say.
func (r *Runtime) teardown(ctx context.Context, a *app) {
	if r.view(a).loaded != nil {
		r.add(ctx, a, r.disable(a, false))
		r.add(ctx, a, r.purge(a))
	} else {
		r.add(ctx, a, r.uninstall(a))
	}
	t := r.undeploy(a)
	t.done = func() { r.forget(a) }
	r.add(ctx, a, t)
}

// forget ends the removal.
func (r *Runtime) forget(a *app) {
	r.mu.Lock()
	if r.apps[a.name] == a {
		delete(r.apps, a.name)
		r.removed[a.name] = true
	}
	r.mu.Unlock()
	a.operations.End(lifecycle.Done)
	r.queues.Remove(a.name, &lifecycle.CanceledError{Cause: lifecycle.Done})
	r.Log.Info("the application is gone", "application", a.name)
	if r.Changed != nil {
		r.Changed(a.name)
	}
}

// looksAfter tells whether applications of a namespace are ours.
func (r *Runtime) looksAfter(namespace string) bool {
	return len(r.Namespaces) == 0 || slices.Contains(r.Namespaces, namespace)
}
