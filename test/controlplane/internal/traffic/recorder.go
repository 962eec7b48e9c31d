package traffic

import (
	"sync"
	"time"
)

// keep bounds the memory of the recorder to some 100 MB at the very worst.
const keep = 200_000

// recorder keeps the last requests since a reset, in the order they came.
type recorder struct {
	mu    sync.Mutex
	limit int
	since time.Time
	// ring grows up to limit and then wraps around: next is the oldest.
	ring []*Request
	next int
	// dropped counts the requests that no longer fit.
	dropped int
}

func newRecorder(limit int) *recorder {
	return &recorder{limit: limit, since: time.Now()}
}

// begin records a request that has come in.
func (r *recorder) begin(request *Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.ring) < r.limit {
		r.ring = append(r.ring, request)
		return
	}
	r.ring[r.next] = request
	r.next = (r.next + 1) % r.limit
	r.dropped++
}

// end completes a request that begin recorded.
func (r *recorder) end(request *Request, status int, fault string) {
	took := time.Since(request.Time)
	r.mu.Lock()
	defer r.mu.Unlock()
	request.Status = status
	request.Fault = fault
	request.Millis = float64(took.Microseconds()) / 1000
}

// read returns copies of the requests that the filter takes, oldest first, and
// forgets everything when reset is set. Both happen at one instant, so no
// request is lost or seen twice between two reads.
func (r *recorder) read(filter Filter, reset bool) Snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	snapshot := Snapshot{Since: r.since, Dropped: r.dropped}
	for i := range r.ring {
		request := r.ring[(r.next+i)%len(r.ring)]
		if filter.takes(request) {
			snapshot.Requests = append(snapshot.Requests, *request)
		}
	}
	if reset {
		r.ring, r.next, r.dropped, r.since = nil, 0, 0, time.Now()
	}
	return snapshot
}
