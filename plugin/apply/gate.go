package apply

import (
	"context"
	"fmt"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// Gate is work that stands between objects: it starts when everything before the
// group of its name is done, and what stands behind waits for it. Its context ends
// when the run is told to stop.
type Gate func(ctx context.Context) error

// GateError is a gate that failed: what stands behind it was not started.
type GateError struct {
	Name string
	Err  error
}

// Error names the gate.
func (f GateError) Error() string { return fmt.Sprintf("%s: %v", f.Name, f.Err) }

// Unwrap gives the gate's own error.
func (f GateError) Unwrap() error { return f.Err }

// isGate tells a group that has work to do.
func (r *run) isGate(n *node) bool { return n.planned == nil && r.exec.Gates[n.group] != nil }

// countGates notes how many gates have to be passed.
func (r *run) countGates() {
	for _, n := range r.nodes {
		if r.isGate(n) {
			r.gates++
		}
	}
}

// unfinished reports whether something of the run is not settled.
func (r *run) unfinished() bool { return r.open > 0 || r.gates > 0 }

// startGate does the work of a gate beside the loop.
func (r *run) startGate(n *node) {
	n.phase = phaseRunning
	gate := r.exec.Gates[n.group]
	go func() {
		err := gate(r.requests)
		r.post(func() { r.passGate(n, err) })
	}()
}

// passGate opens what stands behind a gate, or shuts it for good.
func (r *run) passGate(n *node, err error) {
	n.phase = phaseSettled
	r.gates--
	if err == nil {
		r.arrive(n, plan.NeedReady)
		return
	}
	r.failedGates = append(r.failedGates, GateError{Name: n.group, Err: err})
	first, _, _ := strings.Cut(err.Error(), "\n")
	n.blocked = &because{reason: fmt.Sprintf("%s: %s", n.group, first), err: err}
	r.send(Event{Type: EventWarning, Reason: fmt.Sprintf("%s: %v", n.group, err)})
	r.shutOut(n)
}

// skipGate settles a gate that can't be reached any more.
func (r *run) skipGate(n *node) {
	if r.isGate(n) {
		r.gates--
	}
}

// leaveGates settles the gates that were not started when the run is told to stop.
func (r *run) leaveGates() {
	for _, n := range r.nodes {
		if r.isGate(n) && n.phase == phaseBlocked {
			n.phase = phaseSettled
			r.gates--
		}
	}
}
