package runtime

import (
	"context"
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// download puts the bundle of the version on the disk.
func (r *Runtime) download(a *app) task {
	return task{name: "Download", of: status.ReadyOnFilesystem, reason: status.ReasonDownloadFailed, do: func(ctx context.Context) error {
		d := r.view(a).desired
		dir, err := r.fetch(ctx, d)
		if err != nil {
			return err
		}
		r.set(func() { a.dir = dir })
		r.Store.Set(a.name, status.True(status.ReadyOnFilesystem))
		return nil
	}}
}

// fetch gets a bundle. One that can't be reached now but was deployed before is used as
// it is: a version is not replaced.
func (r *Runtime) fetch(ctx context.Context, d Desired) (string, error) {
	within, cancel := context.WithTimeoutCause(ctx, r.Download, fmt.Errorf("the bundle was not there within %s", r.Download))
	defer cancel()
	p, err := r.Bundles.Bundle(within, d.Registry, d.Package, d.Version)
	if err == nil {
		return r.disk.put(d, p)
	}
	if dir, ok := r.disk.find(d); ok && ctx.Err() == nil {
		r.Log.Warn("the bundle that was downloaded before is used", "application", d.InstanceName(), "error", err.Error())
		return dir, nil
	}
	return "", err
}
