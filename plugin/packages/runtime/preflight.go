package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// preflight looks at what an earlier process left behind, before anything is scheduled:
// releases with our mark that no Application asks for are uninstalled, each in its own
// queue, and bundles of applications that are gone are removed, as is what runs that were
// killed left on the disk.
func (r *Runtime) preflight(ctx context.Context, applications []Desired) error {
	if err := r.disk.scratch.clear(r.Log); err != nil {
		r.Log.Warn("of what killed controllers left, something stays", "error", err.Error())
	}
	wanted := map[string]bool{}
	for _, d := range applications {
		wanted[d.InstanceName()] = true
	}
	found, err := r.Releases.Installed(ctx)
	if err != nil {
		return fmt.Errorf("look for releases without an Application: %w", err)
	}
	for _, f := range found {
		name := api.InstanceName(f.Namespace, f.Instance)
		if wanted[name] || !r.looksAfter(f.Namespace) {
			continue
		}
		r.Log.Info("a release without an Application is uninstalled", "application", name)
		if _, err := r.Remove(Desired{Namespace: f.Namespace, Name: f.Instance}); err != nil {
			return err
		}
	}
	return r.tidy(wanted)
}

// tidy removes links of applications that are not wanted, and bundles that none leads
// to.
func (r *Runtime) tidy(wanted map[string]bool) error {
	names, err := r.disk.names()
	if err != nil {
		return err
	}
	var faults []error
	for _, name := range names {
		namespace, _, ok := api.SplitInstanceName(name)
		if !wanted[name] && (!ok || r.looksAfter(namespace)) {
			faults = append(faults, r.disk.remove(name))
		}
	}
	return errors.Join(append(faults, r.disk.sweep(r.inUse()))...)
}
