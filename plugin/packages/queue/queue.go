package queue

import (
	"context"
	"slices"
	"time"
)

// fifo is one queue. Its lock is that of its Set.
type fifo struct {
	set     *Set
	name    string
	entries []*entry
	// active: the head is being done.
	active bool
	// wake ends a pause: something about the queue has changed.
	wake chan struct{}
	// ctx ends what runs when the queue is dropped.
	ctx    context.Context //nolint:containedctx // of the worker, which the queue starts
	cancel context.CancelCauseFunc
	// idle is closed when the worker has ended; nil while there is none.
	idle chan struct{}
}

func (q *fifo) nudge() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// begin starts the worker unless there is one. The lock is held.
func (q *fifo) begin() {
	if q.idle != nil {
		q.nudge()
		return
	}
	q.idle = make(chan struct{})
	q.set.workers.Add(1)
	go q.work()
}

// work does tasks until there is none.
func (q *fifo) work() {
	defer q.set.workers.Done()
	for {
		head, payload, pause, dropped := q.next()
		for _, d := range dropped {
			d.entry.finish(d.cause)
		}
		switch {
		case len(dropped) > 0:
		case head == nil && pause == 0:
			if q.rest() {
				return
			}
		case head == nil:
			q.pause(pause)
		default:
			q.done(head, head.run(q.ctx, payload))
		}
	}
}

// rest ends the worker unless a task came in the meantime.
func (q *fifo) rest() bool {
	q.set.mu.Lock()
	defer q.set.mu.Unlock()
	if len(q.entries) > 0 {
		return false
	}
	close(q.idle)
	q.idle = nil
	return true
}

// drop is a task with the reason for which it isn't done.
type drop struct {
	entry *entry
	cause error
}

// next takes the head if it is to be done now, with all that is merged into it; else
// it tells how long to wait. Tasks whose operation has ended are dropped first.
func (q *fifo) next() (head *entry, payload any, pause time.Duration, dropped []drop) {
	q.set.mu.Lock()
	defer q.set.mu.Unlock()
	q.entries = slices.DeleteFunc(q.entries, func(e *entry) bool {
		cause := e.ended()
		if cause == nil && q.ctx.Err() != nil {
			cause = context.Cause(q.ctx)
		}
		if cause != nil {
			dropped = append(dropped, drop{e, cause})
		}
		return cause != nil
	})
	if len(dropped) > 0 || len(q.entries) == 0 {
		return nil, nil, 0, dropped
	}
	head = q.entries[0]
	if pause = q.wait(head); pause > 0 {
		return nil, nil, pause, nil
	}
	q.active = true
	return head, q.merge(head), 0, nil
}

// wait tells how long the head must not begin.
func (q *fifo) wait(head *entry) time.Duration {
	var pause time.Duration
	if !head.next.IsZero() {
		pause = head.next.Sub(q.set.clock.Now())
	}
	if head.Delay != nil {
		pause = max(pause, head.Delay(head.Payload))
	}
	return pause
}

// merge makes one task of the head and what waits behind it and fits.
func (q *fifo) merge(head *entry) any {
	if head.Merge == nil {
		return head.Payload
	}
	behind := q.entries[1:]
	waiting := make([]any, len(behind))
	for i, e := range behind {
		if e.Merge != nil && e.Context == head.Context {
			waiting[i] = e.Payload
		}
	}
	merged, taken := head.Merge(head.Payload, waiting)
	rest := []*entry{head}
	for i, e := range behind {
		if slices.Contains(taken, i) {
			head.merged = append(head.merged, e)
			continue
		}
		rest = append(rest, e)
	}
	head.Payload, q.entries = merged, rest
	return merged
}

// pause waits for time, for a change of the queue, or for the end of the head's
// operation.
func (q *fifo) pause(d time.Duration) {
	q.set.mu.Lock()
	operations := make([]context.Context, 0, 1)
	for _, e := range q.entries {
		if e.Context != nil && !slices.Contains(operations, e.Context) {
			operations = append(operations, e.Context)
		}
	}
	q.set.mu.Unlock()
	for _, o := range operations {
		defer context.AfterFunc(o, q.nudge)()
	}
	timer := q.set.clock.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C():
	case <-q.wake:
	case <-q.ctx.Done():
	}
}

// done takes the result of the head.
func (q *fifo) done(head *entry, err error) {
	q.set.mu.Lock()
	q.active = false
	cause := head.ended()
	if cause == nil && q.ctx.Err() != nil {
		cause = context.Cause(q.ctx)
	}
	if err != nil && cause == nil {
		head.err = err
		head.failures++
		delay := q.set.retry.After(head.failures)
		head.next = q.set.clock.Now().Add(delay)
		q.set.mu.Unlock()
		q.set.failed(q.name, head.Name, err, delay)
		if head.Failed != nil {
			head.Failed(err, head.next)
		}
		return
	}
	q.entries = q.entries[1:]
	q.set.mu.Unlock()
	if err != nil {
		err = cause
	}
	head.finish(err)
}
