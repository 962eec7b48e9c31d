package runtime

import (
	"context"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/release"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// waits reports what an uninstallation waits for, so that whoever looks needn't wait for
// its time limit.
func (r *Runtime) waits(a *app) func([]release.Waiting) {
	return func(waiting []release.Waiting) {
		if len(waiting) == 0 {
			return
		}
		text := "it waits for the end of " + release.Names(waiting)
		r.Store.Set(a.name, status.False(status.ManifestsApplied, status.ReasonUninstalling, r.scrub(a, text)))
	}
}

// uninstall takes the release away without the package: nothing is known of its hooks
// and orphans.
func (r *Runtime) uninstall(a *app) task {
	return task{name: "Uninstall", of: status.ManifestsApplied, reason: status.ReasonApplyManifestsFailed, clears: true, do: func(ctx context.Context) error {
		r.Drift.Forget(a.name)
		r.Health.Forget(a.namespace, a.instance)
		return r.Releases.Uninstall(ctx, a.namespace, a.instance, r.waits(a))
	}}
}
