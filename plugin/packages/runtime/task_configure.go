package runtime

import (
	"context"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/instance"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// configure judges the settings and makes values of them.
func (r *Runtime) configure(a *app) task {
	return task{name: "Configure", of: status.Configured, reason: status.ReasonSettingsInvalid, do: func(ctx context.Context) error {
		v := r.view(a)
		if v.loaded == nil {
			return errNotLoaded
		}
		warnings, err := v.loaded.Configure(ctx, v.desired.Settings, v.change)
		if err != nil {
			return err
		}
		for _, warning := range warnings {
			r.Log.Warn("remark on the settings", "application", a.name, "warning", v.loaded.Scrub(warning))
		}
		r.Store.Set(a.name, status.True(status.Configured))
		return nil
	}}
}

// assume gives a package that is to be taken away settings, even if they are refused:
// those that are wanted, else those of the last apply, else none.
func (r *Runtime) assume(ctx context.Context, a *app, v view) error {
	if v.loaded.Values() != nil {
		return nil
	}
	_, err := v.loaded.Configure(ctx, v.desired.Settings, v.change)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if !instance.IsInvalid(err) {
		r.Log.Warn("settings can't be judged", "application", a.name, "error", r.scrub(a, err.Error()))
	}
	settings := v.change.Applied
	if settings == nil {
		settings = map[string]any{}
	}
	r.Log.Warn("hooks get the settings of the last apply", "application", a.name, "because", r.scrub(a, err.Error()))
	return v.loaded.Assume(ctx, settings)
}
