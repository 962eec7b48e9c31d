package apply

import (
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// send completes an event and hands it on.
func (r *run) send(e Event) {
	r.told = r.clock.Now()
	if r.exec.Events == nil {
		return
	}
	e.Time, e.Settled, e.Total = r.told, r.total-r.open, r.total
	r.exec.Events(e)
}

func (r *run) event(n *node, t EventType, reason string) {
	r.send(r.about(n, t, because{reason: reason}))
}

func (r *run) about(n *node, t EventType, why because) Event {
	o := n.planned
	e := Event{
		Type: t, Manifest: o.Manifest, Op: o.Op, Reason: why.reason, Details: why.details,
		Group: o.Ref.Group, Kind: o.Ref.Kind, Namespace: o.Ref.Namespace, Name: o.Ref.Name,
	}
	if !n.started.IsZero() {
		e.Elapsed = r.clock.Since(n.started)
	}
	return e
}

// warn tells about something that does not stop the object.
func (r *run) warn(n *node, text string) {
	text = r.clean(n.planned, text)
	r.warnings = append(r.warnings, n.name()+": "+text)
	r.event(n, EventWarning, text)
}

// eventSettled tells how an object ended, unless it was told when it was written.
func (r *run) eventSettled(n *node) {
	t := settledType(n)
	if t == EventApplied {
		return
	}
	e := r.about(n, t, n.because)
	e.Op = r.plan.Objects[n.index].Op
	r.send(e)
}

func settledType(n *node) EventType {
	switch n.outcome {
	case OutcomeUnchanged:
		return EventUnchanged
	case OutcomeApplied:
		switch {
		case n.ready:
			return EventReady
		case n.interrupted:
			return EventLeft
		default:
			return EventApplied
		}
	case OutcomeDeleted:
		return EventDeleted
	case OutcomeKept:
		return EventKept
	case OutcomeRefused:
		return EventRefused
	case OutcomeSkipped:
		return EventSkipped
	case OutcomeLeft:
		return EventLeft
	default:
		return EventFailed
	}
}

// result collects what became of every object.
func (r *run) result() Result {
	out := Result{
		Interrupted: r.interrupted, TimedOut: r.timedOut, Warnings: r.warnings, Elapsed: r.clock.Since(r.start),
		Objects: make([]ObjectResult, r.total), Gates: r.failedGates,
	}
	for i, o := range r.plan.Objects {
		n := r.nodes[i]
		out.Objects[i] = ObjectResult{
			Manifest: o.Manifest, Ref: o.Ref, Op: o.Op, Outcome: n.outcome, Ready: n.ready, Written: n.written, Unready: n.unready,
			Reason: n.because.reason, Details: n.because.details, Notes: n.notes, Elapsed: n.elapsed, Err: n.because.err,
		}
	}
	out.tally()
	return out
}

// unstarted is the result of a run that could not begin.
func (r *run) unstarted(err error) Result {
	for _, n := range r.nodes {
		if n.planned == nil {
			continue
		}
		n.phase, n.outcome, n.because = phaseSettled, OutcomeLeft, because{reason: "not started: " + err.Error(), err: err}
		if n.planned.Op == plan.OpNone {
			n.outcome, n.because = OutcomeUnchanged, because{}
		}
	}
	out := r.result()
	out.Verdict = VerdictFailed
	return out
}
