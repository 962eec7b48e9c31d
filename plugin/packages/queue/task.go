package queue

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Task is one thing to do.
type Task struct {
	// Name is what a dump shows: "Load", "hooks/a.sh:Run".
	Name string
	// Key makes the task unique, if it is not "": it is not added while one with the
	// same key waits. One that runs is none that waits: it may have seen less.
	Key string
	// Context is that of the operation the task belongs to. When it ends, the task is
	// dropped. nil: only the queue ends it.
	Context context.Context //nolint:containedctx // an operation outlives the call that adds a task
	// Do does it. With merged tasks, payload is what Merge made of all; else Payload.
	Do func(ctx context.Context, payload any) error
	// Failed is told each failure with the time of the next attempt, before Done; it may be
	// nil.
	Failed func(err error, next time.Time)
	// Done is told the end, once: nil, or why the task was dropped. It may be nil.
	Done func(err error)
	// Payload is handed to Do.
	Payload any
	// Merge puts together the payload of this task and those of the tasks that wait
	// behind it, in their order (nil for a task that doesn't merge), when it is about to
	// run: it gives the payload of all and which of waiting are in it. nil: the task runs
	// alone.
	Merge func(payload any, waiting []any) (merged any, taken []int)
	// Delay tells how long the task shall not begin yet; nil: it may at once.
	Delay func(payload any) time.Duration
}

// Retry says when a failed task is tried again.
type Retry struct{ First, Max time.Duration }

// DefaultRetry is 15 s, doubled with each failure, and at most 2 h.
func DefaultRetry() Retry { return Retry{First: 15 * time.Second, Max: 2 * time.Hour} }

// After is the delay after a number of failures, from 1.
func (r Retry) After(failures int) time.Duration {
	delay := r.First
	for range failures - 1 {
		if delay >= r.Max {
			break
		}
		delay *= 2
	}
	return min(delay, r.Max)
}

// PanicError is the failure of a task that panicked. What it panicked with may hold
// anything, so only its kind is told, or Go's own words.
type PanicError struct {
	Text string
	// Stack is where it was; the log has it.
	Stack []byte
}

// Error is one line.
func (e *PanicError) Error() string { return "panic: " + e.Text }

// ErrDropped is the cause for tasks of a queue that is given up.
var ErrDropped = errors.New("the queue was given up")

// entry is a task in a queue.
type entry struct {
	Task
	enqueued time.Time
	failures int
	err      error
	next     time.Time // of the next attempt; zero: at once
	// merged are tasks that run as part of this one.
	merged []*entry
}

// ended tells why the task need not be done any more.
func (e *entry) ended() error {
	if e.Context == nil || e.Context.Err() == nil {
		return nil
	}
	return context.Cause(e.Context)
}

// finish tells everybody who waits for the task and those merged into it.
func (e *entry) finish(err error) {
	for _, one := range append([]*entry{e}, e.merged...) {
		if one.Done != nil {
			one.Done(err)
		}
	}
}

// run does the task once. The context ends with the queue or with the operation, with
// the cause of either.
func (e *entry) run(queue context.Context, payload any) (err error) {
	ctx, cancel := context.WithCancelCause(queue)
	defer cancel(nil)
	if e.Context != nil {
		stop := context.AfterFunc(e.Context, func() { cancel(context.Cause(e.Context)) })
		defer stop()
	}
	defer func() {
		if caught := recover(); caught != nil {
			err = &PanicError{Text: object.PanicText(caught), Stack: debug.Stack()}
		}
	}()
	return e.Do(ctx, payload)
}
