package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/queue"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// task is something to do for an application, until it succeeds.
type task struct {
	name string
	do   func(ctx context.Context) error
	// done is called after success; it may be nil.
	done func()
	// of is what is False while it fails, with the reason; no type: nothing is told.
	of     status.Type
	reason string
	// clears: success takes back what a failure has told.
	clears bool
}

// add puts a task into the queue of an application.
func (r *Runtime) add(ctx context.Context, a *app, t task) {
	r.queues.Add(a.name, queue.Task{
		Name: t.name, Context: ctx,
		Do: func(ctx context.Context, _ any) error {
			r.Log.Debug("task", "application", a.name, "task", t.name)
			return r.scrubbed(a, t.do(ctx))
		},
		Failed: func(err error, next time.Time) { r.told(a, t, err, next) },
		Done: func(err error) {
			switch {
			case err != nil:
				r.Log.Info("the task is dropped", "application", a.name, "task", t.name, "because", err.Error())
				return
			case t.clears:
				r.Store.Forget(a.name, status.HooksProcessed, status.ManifestsApplied)
			}
			if t.done != nil {
				t.done()
			}
		},
	})
}

// attempt does a task once: a failure is told and passed over.
func (r *Runtime) attempt(ctx context.Context, a *app, t task) {
	do := t.do
	t.do = func(ctx context.Context) error {
		if err := r.scrubbed(a, do(ctx)); err != nil {
			r.Log.Warn("it is removed without its package", "application", a.name, "task", t.name, "error", err.Error())
		}
		return nil
	}
	r.add(ctx, a, t)
}

// told reports a failure. That of a removal says step and next try, since nothing else of
// it can be seen in the Application.
func (r *Runtime) told(a *app, t task, err error, next time.Time) {
	of, reason := t.of, t.reason
	var failed *reasonError
	if errors.As(err, &failed) {
		of, reason = failed.of, failed.reason
	}
	if of == "" {
		return
	}
	message := err.Error()
	if a.operations.Removing() {
		message = fmt.Sprintf("%s: %s; the next try is at %s", t.name, message, next.UTC().Format(time.RFC3339))
	}
	r.Store.Set(a.name, status.False(of, reason, message))
}

// reasonError is a failure with a condition and reason of its own.
type reasonError struct {
	of     status.Type
	reason string
	err    error
}

func (e *reasonError) Error() string { return e.err.Error() }

func (e *reasonError) Unwrap() error { return e.err }

// because gives an error a reason; nil stays nil.
func because(of status.Type, reason string, err error) error {
	if err == nil {
		return nil
	}
	return &reasonError{of, reason, err}
}

// scrubbed hides in an error what the package marks as secret, and credentials.
func (r *Runtime) scrubbed(a *app, err error) error {
	if err == nil {
		return nil
	}
	text := r.scrub(a, err.Error())
	if text == err.Error() {
		return err
	}
	var failed *reasonError
	if errors.As(err, &failed) {
		return &reasonError{failed.of, failed.reason, errors.New(text)}
	}
	return errors.New(text) // the error behind it has what is hidden
}

// scrub hides it in any text.
func (r *Runtime) scrub(a *app, text string) string {
	v := r.view(a)
	if v.loaded != nil {
		text = v.loaded.Scrub(text)
	}
	for _, secret := range []string{v.desired.Registry.Password, v.desired.Registry.DockerCfg} {
		if strings.TrimSpace(secret) != "" {
			text = object.Scrub(text, output.SecretOf(secret))
		}
	}
	return text
}
