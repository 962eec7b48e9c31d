package traffic

import (
	"context"
	"net"
	"net/http"
	"time"
)

// Gate is what every request passes.
type Gate struct {
	identity  identity
	parser    parser
	recorder  *recorder
	rules     rules
	latencies latencies
	conns     *connections
}

// NewGate makes a gate. ownAgent is the default user agent of this process.
func NewGate(ownAgent string) *Gate {
	return &Gate{
		identity: identity{ownAgent: ownAgent},
		parser:   newParser(),
		recorder: newRecorder(keep),
		conns:    newConnections(),
	}
}

// Listen tracks the connections of a listener, so that they can be cut.
func (g *Gate) Listen(listener net.Listener) net.Listener {
	return &trackedListener{Listener: listener, owner: g.conns}
}

// Requests returns the recorded requests.
func (g *Gate) Requests(filter Filter, reset bool) Snapshot { return g.recorder.read(filter, reset) }

// AddRule makes a rule active.
func (g *Gate) AddRule(rule Rule) (RuleState, error) { return g.rules.add(rule) }

// Rules lists the active rules.
func (g *Gate) Rules() []RuleState { return g.rules.states() }

// ClearRules takes all rules away.
func (g *Gate) ClearRules() { g.rules.clear() }

// SetLatency changes the delay of a user agent.
func (g *Gate) SetLatency(latency Latency) error { return g.latencies.set(latency) }

// Latencies lists the delays.
func (g *Gate) Latencies() []Latency { return g.latencies.all() }

// Wrap puts the gate around a handler.
func (g *Gate) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, own := g.identity.claim(r)
		request := g.parser.parse(r)
		request.User, request.Own = user, own
		visit := &visit{gate: g, next: next, request: request, rule: g.rules.pick(request)}
		g.recorder.begin(request)
		// Handlers may panic to abort an answer, and so does a cut.
		defer func() { g.recorder.end(request, visit.status(), visit.fault()) }()
		if pause(r.Context(), g.latencies.of(request)) {
			visit.serve(w, r)
		}
	})
}

// pause waits and tells whether the request is still wanted.
func pause(ctx context.Context, delay time.Duration) bool {
	if delay <= 0 {
		return true
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
