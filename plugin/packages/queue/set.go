package queue

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// Options are what a Set works with.
type Options struct {
	// Clock is that of the system if it is nil.
	Clock clock.Clock
	// Retry is DefaultRetry if it is zero.
	Retry Retry
	// Log is told each failure; nil: nobody is.
	Log *slog.Logger
}

// Set is all queues. It may be used by several goroutines.
type Set struct {
	clock clock.Clock
	retry Retry
	log   *slog.Logger

	mu      sync.Mutex
	queues  map[string]*fifo
	closed  error
	workers sync.WaitGroup
}

// New makes a Set without queues.
func New(o Options) *Set {
	s := &Set{clock: o.Clock, retry: o.Retry, log: o.Log, queues: map[string]*fifo{}}
	if s.clock == nil {
		s.clock = clock.RealClock{}
	}
	if s.retry == (Retry{}) {
		s.retry = DefaultRetry()
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s
}

// Open makes a queue, so that a dump shows it before anything is in it.
func (s *Set) Open(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed == nil {
		s.queue(name)
	}
}

// Add puts a task at the end of a queue, which is made if it isn't there. It is not
// added (false) while one with its Key waits, and after Close; Done is then not called.
func (s *Set) Add(name string, t Task) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed != nil {
		return false
	}
	q := s.queue(name)
	for i, e := range q.entries {
		runs := i == 0 && q.active
		if t.Key != "" && e.Key == t.Key && !runs && e.ended() == nil {
			return false
		}
	}
	q.entries = append(q.entries, &entry{Task: t, enqueued: s.clock.Now()})
	q.begin()
	return true
}

// queue finds or makes a queue. The lock is held.
func (s *Set) queue(name string) *fifo {
	q, ok := s.queues[name]
	if !ok {
		q = &fifo{set: s, name: name, wake: make(chan struct{}, 1)}
		q.ctx, q.cancel = context.WithCancelCause(context.Background())
		s.queues[name] = q
	}
	return q
}

// Retry makes the head of a queue try again at once if it waits for that. It tells
// whether it did.
func (s *Set) Retry(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	q, ok := s.queues[name]
	if !ok || len(q.entries) == 0 || q.active || q.entries[0].next.IsZero() {
		return false
	}
	q.entries[0].next = time.Time{}
	q.nudge()
	return true
}

// Remove gives up a queue and those below it: what waits is dropped, what runs is told
// to end. It doesn't wait, so a task may remove its own queue.
func (s *Set) Remove(name string, cause error) {
	s.remove(func(q string) bool { return of(q, name) }, cause)
}

// DropBelow gives up the queues below one, and waits until nothing of them runs or ctx
// ends.
func (s *Set) DropBelow(ctx context.Context, name string, cause error) error {
	return await(ctx, s.remove(func(q string) bool { return q != name && of(q, name) }, cause))
}

// Close gives up all queues, waits until nothing runs or ctx ends, and takes no task
// from then on.
func (s *Set) Close(ctx context.Context, cause error) error {
	s.mu.Lock()
	s.closed = errors.Join(ErrDropped, cause)
	s.mu.Unlock()
	return await(ctx, s.remove(func(string) bool { return true }, cause))
}

func await(ctx context.Context, workers []<-chan struct{}) error {
	for _, ended := range workers {
		select {
		case <-ended:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// remove gives up queues, and returns the channels that their workers close.
func (s *Set) remove(which func(name string) bool, cause error) []<-chan struct{} {
	if cause == nil {
		cause = ErrDropped
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var workers []<-chan struct{}
	for name, q := range s.queues {
		if !which(name) {
			continue
		}
		delete(s.queues, name)
		q.cancel(cause)
		if q.idle != nil {
			workers = append(workers, q.idle)
		}
	}
	return workers
}

// of tells whether a queue is one of an instance: its own, or one below it.
func of(queue, instance string) bool {
	return queue == instance || strings.HasPrefix(queue, instance+"/")
}

func (s *Set) failed(queue, task string, err error, delay time.Duration) {
	application, _, _ := strings.Cut(queue, "/")
	log := s.log.With("application", application)
	var panicked *PanicError
	if errors.As(err, &panicked) {
		log = log.With("stack", string(panicked.Stack))
	}
	log.Error("task failed", "queue", queue, "task", task, "error", err.Error(), "retry", delay.String())
}
