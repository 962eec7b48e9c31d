package cluster

import (
	"context"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

const (
	// defaultConcurrency suits real control planes with 10 to 50 ms of round trip.
	defaultConcurrency = 16
	// restoreAfter is how long the window stays small after the last complaint.
	restoreAfter = 10 * time.Second
	// sameComplaint joins the 429 answers of requests that were in flight
	// together: one congestion halves the window once.
	sameComplaint = time.Second
)

// Limiter is a window of requests in flight. It starts at its full size, is
// halved when the server asks for patience and restored after 10 s without
// complaint. Callers hold a slot for one request each; the Client itself only
// reports complaints to it, so a slot may be held around any call.
type Limiter struct {
	clock clock.PassiveClock
	size  int

	mu        sync.Mutex
	window    int
	inFlight  int
	complaint time.Time // of the last halving
	restore   time.Time // when the full window returns, zero when it is full
	waiting   []chan struct{}
}

// NewLimiter makes a window of n slots; n < 1 means 16, a nil clock the real one.
func NewLimiter(n int, c clock.PassiveClock) *Limiter {
	if n < 1 {
		n = defaultConcurrency
	}
	if c == nil {
		c = clock.RealClock{}
	}
	return &Limiter{clock: c, size: n, window: n}
}

// Acquire waits for a slot. Its error is the context's.
func (l *Limiter) Acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	l.refresh()
	if l.inFlight < l.window && len(l.waiting) == 0 {
		l.inFlight++
		l.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	l.waiting = append(l.waiting, turn)
	l.mu.Unlock()

	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		l.abandon(turn)
		return ctx.Err()
	}
}

// abandon leaves the queue, or hands the slot on if it came in the same moment.
func (l *Limiter) abandon(turn chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, w := range l.waiting {
		if w == turn {
			l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
			return
		}
	}
	l.inFlight--
	l.admit()
}

// Release gives a slot back.
func (l *Limiter) Release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight--
	l.admit()
}

// Throttled reports that the server asked for patience (429 or Retry-After).
func (l *Limiter) Throttled() {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock.Now()
	if now.Sub(l.complaint) >= sameComplaint {
		l.window = max(1, l.window/2)
		l.complaint = now
	}
	l.restore = now.Add(restoreAfter)
}

// Size is the full window: how many goroutines are worth starting.
func (l *Limiter) Size() int { return l.size }

// Window is the present one.
func (l *Limiter) Window() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refresh()
	return l.window
}

// refresh restores the window when its time has come. It needs no timer: whoever
// waits does so for a slot in flight, and its Release comes here.
func (l *Limiter) refresh() {
	if !l.restore.IsZero() && !l.clock.Now().Before(l.restore) {
		l.window, l.restore = l.size, time.Time{}
	}
}

// admit lets waiters in, first come first served.
func (l *Limiter) admit() {
	l.refresh()
	for len(l.waiting) > 0 && l.inFlight < l.window {
		l.inFlight++
		close(l.waiting[0])
		l.waiting = l.waiting[1:]
	}
}
