package runtime

import (
	"context"
)

// orphanResources is the value that lists kinds of objects to delete with an
// application.
const orphanResources = "orphanResources"

// purge deletes what the release left behind.
func (r *Runtime) purge(a *app) task {
	return task{name: "Purge", do: func(ctx context.Context) error {
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
