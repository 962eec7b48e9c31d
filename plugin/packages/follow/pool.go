package follow

import (
	"context"
	"sync"

	"k8s.io/utils/clock"
)

// Pool holds the watches of everybody. It may be used by several goroutines; its
// fields are not changed once it is used.
type Pool struct {
	Client Client
	// Clock times the pauses between tries to open a watch; nil is the real one.
	Clock clock.Clock
	// Panicked hears of a Listener that panicked, with what it panicked with and the
	// stack; nil drops that.
	Panicked func(cause any, stack []byte)

	mu    sync.Mutex
	feeds map[key]*feed
}

// Follow lets a Listener hear of the objects of a query until it is stopped.
func (p *Pool) Follow(q Query, l Listener) *Following {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.feeds == nil {
		p.feeds = map[key]*feed{}
	}
	f, ok := p.feeds[q.key()]
	if !ok {
		f = p.open(q)
		p.feeds[q.key()] = f
	}
	f.users++
	following := newFollowing(p, f, l)
	f.join(following)
	return following
}

// open starts the watch of a query.
func (p *Pool) open(q Query) *feed {
	ctx, cancel := context.WithCancel(context.Background())
	f := newFeed(q, cancel)
	go f.run(ctx, p.Client, p.Clock)
	return f
}

// leave closes the watch behind its last user.
func (p *Pool) leave(f *feed) {
	p.mu.Lock()
	f.users--
	last := f.users == 0
	if last {
		delete(p.feeds, f.query.key())
	}
	p.mu.Unlock()
	if last {
		f.cancel()
		<-f.done
	}
}

// Watches counts the watches that are open.
func (p *Pool) Watches() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.feeds)
}
