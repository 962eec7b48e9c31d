package runtime

import (
	"context"
	"errors"
)

// undeploy gives up the files of an application.
func (r *Runtime) undeploy(a *app) task {
	return task{name: "Undeploy", do: func(ctx context.Context) error {
		if err := r.stopHooks(ctx, a); err != nil {
			return err
		}
		var err error
		if loaded := r.takeLoaded(a); loaded != nil {
			err = loaded.Close()
		}
		r.set(func() { a.dir = "" })
		return errors.Join(err, r.disk.remove(a.name), r.disk.sweep(r.inUse()))
	}}
}
