package instance

import (
	"context"
	"errors"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schema"
)

// Ran is what a run of a hook came to.
type Ran struct {
	Result hook.Result
	// Changed: the values are others than before.
	Changed bool
	// Allowed is a failure that the hook's configuration passes over; nothing of the run
	// took effect but what it wanted in spite of it.
	Allowed error
}

// Run runs a hook and lets it take effect.
func (i *Instance) Run(ctx context.Context, call hook.Pending, c Cluster) (Ran, error) {
	result, err := i.runner.Run(ctx, hook.Request{
		Hook: call.Hook, Triggers: call.Triggers, Values: i.Values(), Settings: i.Settings(), Source: c,
	})
	ran := Ran{Result: result}
	if err == nil {
		ran.Changed, err = i.take(ctx, result, c)
	} else if operated := result.Operate(ctx, c); operated != nil {
		err = errors.Join(err, operated)
	}
	if err != nil && ctx.Err() == nil && call.Hook.AllowsFailure(call.Triggers) {
		ran.Allowed = err
		return ran, nil
	}
	return ran, err
}

// take lets a result take effect on the values as they are now.
func (i *Instance) take(ctx context.Context, result hook.Result, c Cluster) (changed bool, err error) {
	unlock, err := i.lock(ctx)
	if err != nil {
		return false, err
	}
	defer unlock()
	before := i.Values()
	taken, err := result.Take(ctx, hook.Effects{
		Values: before, Objects: c,
		CheckValues: func(values map[string]any) error { return i.sources.Check(ctx, values, schema.Check{Old: before}) },
	})
	if err != nil || !taken.Changed {
		return false, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.values = taken.Values
	i.patches = output.Join(i.patches, result.Patch)
	return true, nil
}

// Stage lists the runs of a stage, in their order.
func (i *Instance) Stage(stage binding.Type) []hook.Pending {
	var all []hook.Pending
	for _, h := range i.set.Bound(stage) {
		all = append(all, hook.Pending{Hook: h, Triggers: []hook.Trigger{hook.Stage(stage)}})
	}
	return all
}

// Synchronization is a run that tells a hook what is there.
type Synchronization struct {
	hook.Pending
	// Queue is the hook's; Wait tells whether the package has to wait for the run.
	Queue string
	Wait  bool
}

// Synchronizations lists what hooks want to be told of the objects that are there: one
// run for the bindings of a hook that the package waits for, one for the others.
func (i *Instance) Synchronizations() []Synchronization {
	var all []Synchronization
	for _, h := range i.set.Hooks {
		for _, wait := range []bool{true, false} {
			call, queue := hook.Pending{Hook: h}, ""
			for _, k := range h.Config.Kubernetes {
				if k.OnSynchronization && k.WaitForSynchronization == wait {
					call.Triggers, queue = append(call.Triggers, hook.Synchronized(k.Name)), k.Queue
				}
			}
			if len(call.Triggers) > 0 {
				next, _ := hook.Merge([]hook.Pending{call})
				all = append(all, Synchronization{Pending: next, Queue: queue, Wait: wait})
			}
		}
	}
	return all
}

// Queue is the queue that a run belongs to, as the binding that calls for it says.
func Queue(call hook.Pending) string {
	for _, t := range call.Triggers {
		switch t.Binding {
		case binding.OnSchedule:
			if s := call.Hook.Config.FindSchedule(t.Name); s != nil {
				return s.Queue
			}
		case binding.OnKubernetes:
			if k := call.Hook.Config.FindKubernetes(t.Name); k != nil {
				return k.Queue
			}
		}
	}
	return binding.MainQueue
}

// Start tells whether onStartup is still to be run, and Started that it has been.
func (i *Instance) Start() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return !i.started
}

// Started notes that onStartup has been run: it is run once after each load.
func (i *Instance) Started() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.started = true
}
