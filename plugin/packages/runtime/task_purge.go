package runtime

import (
	"context"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// orphanResources is the value that lists kinds of objects to delete with an
// application.
const orphanResources = "orphanResources"

const reasonPurgeFailed = "PurgeFailed"

// purge deletes what the release left behind.
func (r *Runtime) purge(a *app) task {
	return task{name: "Purge", of: status.ManifestsApplied, reason: reasonPurgeFailed, clears: true, do: func(ctx context.Context) error {
		v := r.view(a)
		if v.loaded == nil {
			return nil
		}
		if err := r.assume(ctx, a, v); err != nil {
			return err
		}
		list, ok := v.loaded.Values()[orphanResources]
		if !ok || list == nil {
			return nil
		}
		return r.Orphans.Purge(ctx, a.namespace, a.instance, list)
	}}
}
