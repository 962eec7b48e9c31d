package runtime

import (
	"context"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// uninstall takes the release away without the package: nothing is known of its hooks
// and orphans.
func (r *Runtime) uninstall(a *app) task {
	return task{name: "Uninstall", of: status.ManifestsApplied, reason: status.ReasonApplyManifestsFailed, clears: true, do: func(ctx context.Context) error {
		r.Drift.Forget(a.name)
		r.Health.Forget(a.namespace, a.instance)
		return r.Releases.Uninstall(ctx, a.namespace, a.instance)
	}}
}
