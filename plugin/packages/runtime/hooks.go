package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/debug"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/instance"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/lifecycle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/queue"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// eyes are what hooks of one application see and do.
type eyes struct {
	hook.Source
	hook.Sink
}

// leaving is what hooks of a removal do. A namespace that is being deleted takes no
// objects any more, and waits for the application: what a hook makes there is passed
// over, since it would be gone with the namespace.
type leaving struct {
	hook.Sink
	log *slog.Logger
}

// Do makes one operation.
func (l leaving) Do(ctx context.Context, o output.Operation) error {
	err := l.Sink.Do(ctx, o)
	if o.Creates() && apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		l.log.Warn("an object is not made: its namespace is being deleted", "object", o.Ref().String())
		return nil
	}
	return err
}

// stage runs the hooks of a stage, in their order, until one fails.
func (r *Runtime) stage(ctx context.Context, a *app, stage binding.Type) error {
	v := r.view(a)
	for _, call := range v.loaded.Stage(stage) {
		if v.monitor == nil {
			return fmt.Errorf("hook %s (%s): nothing is watched yet", call.Hook.ID, stage)
		}
		if _, err := r.runHook(ctx, a, v.loaded, v.monitor, call); err != nil {
			return err
		}
	}
	return nil
}

// runHook runs one hook and writes down what it said.
func (r *Runtime) runHook(ctx context.Context, a *app, loaded *instance.Instance, monitor Monitor, call hook.Pending) (changed bool, err error) {
	defer r.Drift.Pause(a.name)()
	log := r.Log.With("application", a.name, "hook", call.Hook.ID)
	sees := eyes{monitor, r.Hooks}
	if a.operations.Removing() {
		sees.Sink = leaving{r.Hooks, log}
	}
	began := r.Clock.Now()
	ran, err := loaded.Run(ctx, call, sees)
	monitor.Ran(call.Hook.ID)
	r.noteRun(a, call, began, ran.Result.Took, errors.Join(err, ran.Allowed))
	for _, out := range []struct{ stream, text string }{{"stdout", ran.Result.Stdout}, {"stderr", ran.Result.Stderr}} {
		for line := range strings.Lines(out.text) {
			if line = strings.TrimRight(line, "\r\n"); line != "" {
				log.Info(debug.HookOutput, "stream", out.stream, "line", loaded.Scrub(line))
			}
		}
	}
	for _, note := range ran.Result.Notes {
		log.Info("hook operations", "note", loaded.Scrub(note))
	}
	if len(ran.Result.Metrics) > 0 && r.firstMetrics(a, call.Hook.ID) {
		log.Warn("metrics of hooks of applications are read and checked, and not served, as on the platform", "metrics", len(ran.Result.Metrics))
	}
	if ran.Allowed != nil {
		log.Warn("a failure that the hook allows", "error", loaded.Scrub(ran.Allowed.Error()))
	}
	return ran.Changed, err
}

// noteRun keeps what became of the last run of a hook.
func (r *Runtime) noteRun(a *app, call hook.Pending, began time.Time, took time.Duration, failed error) {
	text := ""
	if failed != nil {
		text = r.scrub(a, failed.Error())
	}
	r.set(func() {
		if a.runs == nil {
			a.runs = map[string]report.LastRun{}
		}
		run := a.runs[call.Hook.ID]
		run.Began, run.Took, run.Why, run.Error = began.UTC().Format(time.RFC3339), took.Round(time.Millisecond).String(), hook.Doing(call.Triggers), text
		run.Runs++
		if failed != nil {
			run.Failures++
		}
		a.runs[call.Hook.ID] = run
	})
}

// firstMetrics tells whether a hook has written metrics for the first time.
func (r *Runtime) firstMetrics(a *app, hook string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a.unserved[hook] {
		return false
	}
	if a.unserved == nil {
		a.unserved = map[string]bool{}
	}
	a.unserved[hook] = true
	return true
}

// synchronize shows hooks what is there, each in its own queue, and waits for those that
// the package has to wait for.
func (r *Runtime) synchronize(ctx context.Context, a *app, loaded *instance.Instance) error {
	ended := make(chan error)
	waiting := 0
	quit := make(chan struct{})
	defer close(quit)
	for _, s := range loaded.Synchronizations() {
		name, done := a.name+"/"+s.Queue, func(error) {}
		if s.Wait {
			name += "/sync"
			waiting++
			done = func(err error) {
				select {
				case ended <- err:
				case <-quit:
				}
			}
		}
		if !r.queues.Add(name, r.synchronization(ctx, a, loaded, s, done)) {
			return &lifecycle.CanceledError{Cause: lifecycle.Stopped}
		}
	}
	for range waiting {
		select {
		case err := <-ended:
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// synchronization is one run, repeated until it succeeds.
func (r *Runtime) synchronization(ctx context.Context, a *app, loaded *instance.Instance, s instance.Synchronization, done func(error)) queue.Task {
	return queue.Task{
		Name: s.Hook.ID + ":Sync", Context: ctx, Done: done,
		Do: func(ctx context.Context, _ any) error {
			changed, err := r.hookTask(ctx, a, loaded, s.Pending, status.ReasonSyncHookFailed)
			if changed && !s.Wait { // the run that began it may be over
				r.Again(a.name, lifecycle.HookValuesChanged)
			}
			return err
		},
	}
}

// called takes the runs that events and schedules call for.
func (r *Runtime) called(a *app, loaded *instance.Instance) func(hook.Pending) {
	return func(call hook.Pending) {
		if call.Hook.TellsReadiness() {
			r.addReadiness(a, loaded, call)
			return
		}
		r.queues.Add(a.name+"/"+instance.Queue(call), queue.Task{
			Name: call.Hook.ID + ":Run", Payload: call, Merge: merge,
			Delay: func(payload any) time.Duration {
				p, ok := payload.(hook.Pending)
				if !ok {
					return 0
				}
				return loaded.Pace().Delay(p.Hook, p.Triggers)
			},
			Do: func(ctx context.Context, payload any) error {
				p, ok := payload.(hook.Pending)
				if !ok {
					return errors.New("no run of a hook")
				}
				changed, err := r.hookTask(ctx, a, loaded, p, status.ReasonEventHookFailed)
				if changed {
					r.Again(a.name, lifecycle.HookValuesChanged)
				}
				return err
			},
		})
	}
}

// merge makes one run of a hook of all that wait for it: see hook.Merge.
func merge(payload any, waiting []any) (any, []int) {
	head, ok := payload.(hook.Pending)
	if !ok {
		return payload, nil
	}
	all, taken := []hook.Pending{head}, []int(nil)
	for i, w := range waiting {
		p, ok := w.(hook.Pending)
		if !ok {
			break
		}
		all = append(all, p)
		if p.Hook == head.Hook {
			taken = append(taken, i)
		}
	}
	next, _ := hook.Merge(all)
	return next, taken
}

// hookTask runs a hook in a queue of its own.
func (r *Runtime) hookTask(ctx context.Context, a *app, loaded *instance.Instance, call hook.Pending, reason string) (changed bool, err error) {
	monitor := r.view(a).monitor
	if monitor == nil {
		return false, nil // the hooks have been stopped
	}
	changed, err = r.runHook(ctx, a, loaded, monitor, call)
	switch {
	case err == nil:
		r.mended(a, reason)
		return changed, nil
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	}
	err = r.scrubbed(a, err)
	r.Store.Set(a.name, status.False(status.HooksProcessed, reason, err.Error()))
	return false, err
}

// mended takes back what a failure of an event's hook has reported.
func (r *Runtime) mended(a *app, reason string) {
	known, _ := r.Store.Get(a.name)
	if c := known.Get(status.HooksProcessed); reason == status.ReasonEventHookFailed && c.Reason == reason {
		r.Store.Set(a.name, status.True(status.HooksProcessed))
	}
}
