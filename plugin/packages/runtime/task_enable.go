package runtime

import (
	"context"
	"errors"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

var errNotLoaded = errors.New("the package is not loaded")

// enable watches for the hooks, shows them what is there, runs onStartup once after a
// load, and from then on lets what happens call them.
func (r *Runtime) enable(a *app) task {
	return task{name: "Enable", of: status.HooksProcessed, reason: status.ReasonHookInitializationFailed, do: func(ctx context.Context) error {
		v := r.view(a)
		if v.loaded == nil || !v.loaded.Configured() {
			return errNotLoaded
		}
		r.set(func() { a.taken = nothingTaken })
		monitor, err := r.watch(ctx, a, v)
		if err != nil {
			return err
		}
		if err := r.synchronize(ctx, a, v.loaded); err != nil {
			return because(status.HooksProcessed, status.ReasonSyncHookFailed, err)
		}
		if v.loaded.Start() {
			if err := r.stage(ctx, a, binding.OnStartup); err != nil {
				return because(status.HooksProcessed, status.ReasonStartupHookFailed, err)
			}
			v.loaded.Started()
		}
		monitor.Arm()
		r.set(func() { a.armed = a.monitor == monitor })
		return nil
	}}
}

// watch follows what the hooks look at, and waits until it is known.
func (r *Runtime) watch(ctx context.Context, a *app, v view) (Monitor, error) {
	monitor := v.monitor
	if monitor == nil {
		monitor = r.Hooks.Monitor(v.loaded.Hooks(), r.called(a, v.loaded), func(err error) {
			r.Log.Error("a hook has no snapshot", "application", a.name, "error", r.scrub(a, err.Error()))
		})
		r.set(func() { a.monitor = monitor })
	}
	return monitor, monitor.Start(ctx)
}
