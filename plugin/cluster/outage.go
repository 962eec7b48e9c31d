package cluster

import (
	"sync"
	"time"
)

// outage remembers since when nothing works, for all requests together: when the
// server is gone for good, each of a thousand objects must not wait its own half
// minute.
type outage struct {
	mu    sync.Mutex
	met   bool // the server has answered before
	since time.Time
	last  time.Time
}

// over notes that the server does its work.
func (o *outage) over() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.met, o.since = true, time.Time{}
}

// lasting notes a failure and tells since when there were nothing but failures,
// and whether the server was ever met. A failure that comes long after the last
// one begins a new outage: nobody has tried in between.
func (o *outage) lasting(now time.Time, quiet time.Duration) (since time.Time, met bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since.IsZero() || now.Sub(o.last) >= quiet {
		o.since = now
	}
	o.last = now
	return o.since, o.met
}
