package runtime

import (
	"context"
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/instance"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/release"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/render"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// run brings the objects into the cluster: beforeHelm, apply, afterHelm, and where that
// changed values, apply once more.
func (r *Runtime) run(a *app) task {
	return task{name: "Run", of: status.ManifestsApplied, reason: status.ReasonApplyManifestsFailed, do: func(ctx context.Context) error {
		loaded := r.view(a).loaded
		if loaded == nil {
			return errNotLoaded
		}
		defer r.Drift.Pause(a.name)()
		r.Health.Watch(a.namespace, a.instance)
		r.unasked(a, loaded)
		if err := r.stage(ctx, a, binding.BeforeHelm); err != nil {
			return because(status.HooksProcessed, status.ReasonHookFailed, err)
		}
		r.Store.Set(a.name, status.True(status.HooksProcessed))
		before, err := loaded.Digest()
		if err != nil {
			return err
		}
		if err := r.apply(ctx, a, loaded); err != nil {
			return err
		}
		if err := r.stage(ctx, a, binding.AfterHelm); err != nil {
			return because(status.HooksProcessed, status.ReasonHookFailed, err)
		}
		after, err := loaded.Digest()
		if err == nil && after != before {
			err = r.apply(ctx, a, loaded)
		}
		if err == nil {
			r.askReady(a, loaded)
		}
		return err
	}}
}

// rendered renders an application with what is known now.
func (r *Runtime) rendered(ctx context.Context, v view) (*render.Result, error) {
	request, err := r.renderRequest(ctx, v)
	if err != nil {
		return nil, err
	}
	return r.bounded(ctx, v.desired.InstanceName(), func() (*render.Result, error) { return v.loaded.Render(ctx, request) })
}

// renderRequest is what templates see beside settings and values.
func (r *Runtime) renderRequest(ctx context.Context, v view) (render.Request, error) {
	capabilities, err := r.Cluster.Capabilities(ctx)
	if err != nil {
		return render.Request{}, fmt.Errorf("ask the cluster what it serves: %w", err)
	}
	r.mu.Lock()
	platform := r.platform
	r.mu.Unlock()
	return render.Request{
		Registry: v.desired.registry(), Platform: platform, Capabilities: capabilities, Lookup: r.Cluster.Lookup,
		// Revision is always the first, so that an upgrade alone renders nothing new.
		Revision: 1, Maintenance: v.desired.Maintenance,
	}, nil
}

// apply upgrades the release if that is due, and commits what is in the cluster then.
func (r *Runtime) apply(ctx context.Context, a *app, loaded *instance.Instance) error {
	v := r.view(a)
	settings := loaded.Settings()
	if !loaded.Renders() {
		// An earlier version may have had templates.
		if err := r.Releases.Uninstall(ctx, a.namespace, a.instance, nil); err != nil {
			return because(status.ManifestsApplied, status.ReasonApplyManifestsFailed, err)
		}
		r.commit(a, v, settings, nil)
		return nil
	}
	result, err := r.rendered(ctx, v)
	if err != nil {
		return because(status.ManifestsApplied, status.ReasonRenderFailed, err)
	}
	for _, w := range result.Warnings {
		r.Log.Warn("rendered", "application", a.name, "warning", r.scrub(a, w.String()))
	}
	r.set(func() { a.ran = true })
	outcome, err := r.Releases.Upgrade(ctx, release.Request{
		Namespace: a.namespace, Instance: a.instance, Package: v.desired.Package, Version: v.desired.Version,
		Objects: result.Objects, Hooks: result.Hooks, Maintenance: v.desired.Maintenance, Progress: r.progress(a),
	})
	for _, w := range outcome.Warnings {
		r.Log.Warn("release", "application", a.name, "warning", r.scrub(a, w))
	}
	if err != nil {
		r.Drift.Forget(a.name)
		return err
	}
	r.Log.Info("release", "application", a.name, "revision", outcome.Revision, "upgraded", outcome.Upgraded, "why", outcome.Why)
	r.settle(a, v, settings, outcome, urls(result.Endpoints))
	return nil
}

// progress reports how an apply comes on. With the first report it has begun.
func (r *Runtime) progress(a *app) func(api.Tracking) {
	begun := false
	return func(t api.Tracking) {
		if !begun {
			begun = true
			r.Store.Set(a.name, status.Applying())
		}
		r.Store.Track(a.name, t)
	}
}

// settle reports an apply that went well, or was not due.
func (r *Runtime) settle(a *app, v view, settings map[string]any, o release.Outcome, endpoints []api.URL) {
	if v.desired.Maintenance {
		r.Drift.Forget(a.name)
		if !o.Upgraded { // what was rendered is not in the cluster
			r.Store.Set(a.name, status.True(status.ManifestsApplied))
			r.Store.SetURLs(a.name, endpoints)
			return
		}
	} else {
		r.Drift.Expect(a.name, o.Expected)
	}
	r.commit(a, v, settings, endpoints)
}

func (r *Runtime) commit(a *app, v view, settings map[string]any, endpoints []api.URL) {
	r.set(func() { a.applied, a.appliedVersion, a.ran = settings, v.desired.Version, true })
	r.Store.Commit(a.name, status.Applied{Version: v.desired.Version, Settings: settings, URLs: endpoints})
}

func urls(endpoints []render.Endpoint) []api.URL {
	var all []api.URL
	for _, e := range endpoints {
		all = append(all, api.URL{URL: e.URL, Description: e.Description})
	}
	return all
}
