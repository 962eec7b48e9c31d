package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/instance"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schedule"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// load reads the bundle and asks its hooks for their configuration. register lets the
// scheduler know the application from then on.
func (r *Runtime) load(a *app, register bool) task {
	return task{name: "Load", of: status.Loaded, reason: status.ReasonLoadFailed, do: func(ctx context.Context) error {
		v := r.view(a)
		if v.dir == "" {
			return errors.New("the package has not been downloaded")
		}
		loaded, err := r.open(ctx, v)
		if err != nil {
			return err
		}
		if register {
			if err := r.register(a, loaded); err != nil {
				return errors.Join(because(status.Loaded, status.ReasonDependencyCycle, err), loaded.Close())
			}
		}
		if err := r.exchange(a, loaded); err != nil {
			return err
		}
		for _, warning := range loaded.Warnings() {
			r.Log.Warn("the package is odd", "application", a.name, "warning", warning)
		}
		r.Store.Set(a.name, status.True(status.Loaded))
		if register {
			r.schedule(a, loaded)
		}
		return nil
	}}
}

func (r *Runtime) open(ctx context.Context, v view) (*instance.Instance, error) {
	d := v.desired
	loaded, err := instance.Load(ctx, &r.shelf, v.dir, d.Version, instance.Options{Namespace: d.Namespace, Name: d.Name, Hooks: r.Options.Run})
	if err != nil {
		return nil, err
	}
	if name := loaded.Definition().Name; name != d.Package {
		return nil, errors.Join(fmt.Errorf("package.yaml: name: wanted %s, found %s", d.Package, name), loaded.Close())
	}
	return loaded, nil
}

// node is what the scheduler knows of an application.
func node(a *app, loaded *instance.Instance) schedule.Node {
	definition := loaded.Definition()
	return schedule.Node{
		Kind: schedule.Application, Name: a.name, Version: definition.Version, Order: schedule.ApplicationOrder,
		Requirements: definition.Requirements,
	}
}

// register asks the scheduler whether it would take the application.
func (r *Runtime) register(a *app, loaded *instance.Instance) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.scheduler.Check(node(a, loaded))
}

// schedule hands the application to the scheduler.
func (r *Runtime) schedule(a *app, loaded *instance.Instance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a.operations.Removing() {
		return
	}
	events, err := r.scheduler.Put(node(a, loaded))
	if err != nil {
		r.Log.Error("not scheduled", "application", a.name, "error", err.Error())
		return
	}
	r.dispatch(events)
}

// exchange puts a loaded package in the place of the one before, whose bundle goes if
// nobody needs it.
func (r *Runtime) exchange(a *app, loaded *instance.Instance) error {
	before := r.takeLoaded(a)
	r.set(func() { a.loaded, a.stale, a.answers, a.runs = loaded, false, nil, nil })
	if before == nil {
		return nil // what others don't need any more was seen when the controller started
	}
	err := before.Close()
	if before.Dir() != loaded.Dir() {
		err = errors.Join(err, r.disk.sweep(r.inUse()))
	}
	if err != nil {
		r.Log.Warn("bundles that are not needed any more stay", "application", a.name, "error", err.Error())
	}
	return nil
}

// inUse lists the directories of bundles that are loaded, or about to be.
func (r *Runtime) inUse() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []string
	for _, a := range r.apps {
		all = append(all, a.dir)
		if a.loaded != nil {
			all = append(all, a.loaded.Dir())
		}
	}
	return all
}
