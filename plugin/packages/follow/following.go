package follow

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Following is one Listener's part of a watch.
type Following struct {
	pool     *Pool
	feed     *feed
	listener Listener

	wake chan struct{}
	quit chan struct{}
	done chan struct{}
	told chan struct{} // closed after the first Reset returned
	stop sync.Once

	mu    sync.Mutex
	inbox inbox
}

func newFollowing(p *Pool, f *feed, l Listener) *Following {
	m := &Following{
		pool: p, feed: f, listener: l,
		wake: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}), told: make(chan struct{}),
	}
	go m.run()
	return m
}

// put changes what is to be told.
func (m *Following) put(change func(*inbox)) {
	m.mu.Lock()
	change(&m.inbox)
	m.mu.Unlock()
	m.rouse()
}

func (m *Following) rouse() {
	select {
	case m.wake <- struct{}{}:
	default: // it is awake already
	}
}

// run tells the Listener what comes in.
func (m *Following) run() {
	defer close(m.done)
	first := true
	for {
		select {
		case <-m.quit:
			return
		case <-m.wake:
		}
		for {
			next, ok := m.take()
			if !ok {
				break
			}
			m.tell(next)
			if first && next.whole {
				first = false
				close(m.told)
			}
		}
	}
}

func (m *Following) take() (news, bool) {
	select {
	case <-m.quit:
		return news{}, false
	default:
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.inbox.take()
}

// tell makes one call. One that panics is reported, and all is told again.
func (m *Following) tell(n news) {
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		if m.pool.Panicked != nil {
			m.pool.Panicked(cause, debug.Stack())
		}
		if !n.whole { // telling all again would panic again
			m.feed.retell(m)
		}
	}()
	switch {
	case n.whole:
		m.listener.Reset(n.bodies)
	case n.body != nil:
		m.listener.Set(n.body)
	default:
		m.listener.Remove(n.ref)
	}
}

// retell tells a member all there is.
func (f *feed) retell(m *Following) {
	f.mu.Lock()
	defer f.mu.Unlock() // held while it is put: nothing newer may be overwritten
	bodies := f.all()
	m.put(func(in *inbox) { in.reset(bodies) })
}

// Wait waits until the Listener has heard of all objects there were. The error
// tells why the server doesn't give them, as far as is known.
func (m *Following) Wait(ctx context.Context) error {
	select {
	case <-m.told:
		return nil
	case <-m.done:
		return errors.New("no longer followed")
	case <-ctx.Done():
	}
	if err := m.feed.lastError(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// Err tells why the watch is not open at present; nil if it is.
func (m *Following) Err() error { return m.feed.lastError() }

// Stop ends the calls and returns when none is under way. It may be called again.
func (m *Following) Stop() {
	m.stop.Do(func() {
		m.feed.drop(m)
		close(m.quit)
		<-m.done
		m.pool.leave(m.feed)
	})
}

// inbox is what a Listener has still to hear: either everything or the last states
// of objects, in the order in which they were first changed.
type inbox struct {
	whole  bool
	bodies []map[string]any
	order  []object.Ref
	states map[object.Ref]map[string]any // nil: gone
}

// news is one call of a Listener.
type news struct {
	whole  bool
	bodies []map[string]any
	ref    object.Ref
	body   map[string]any
}

// reset puts everything in the place of what waits.
func (in *inbox) reset(bodies []map[string]any) {
	*in = inbox{whole: true, bodies: bodies}
}

func (in *inbox) set(ref object.Ref, body map[string]any) {
	if in.states == nil {
		in.states = map[object.Ref]map[string]any{}
	}
	if _, waits := in.states[ref]; !waits {
		in.order = append(in.order, ref)
	}
	in.states[ref] = body
}

func (in *inbox) remove(ref object.Ref) { in.set(ref, nil) }

func (in *inbox) take() (news, bool) {
	if in.whole {
		n := news{whole: true, bodies: in.bodies}
		in.whole, in.bodies = false, nil
		return n, true
	}
	if len(in.order) == 0 {
		return news{}, false
	}
	ref := in.order[0]
	in.order = in.order[1:]
	n := news{ref: ref, body: in.states[ref]}
	delete(in.states, ref)
	return n, true
}
