package apply

import (
	"slices"
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// PendingObject is an object that a run is busy with.
type PendingObject struct {
	Ref object.Ref
	// Reason is what it waits for; empty while its request is on the way.
	Reason  string
	Elapsed time.Duration
}

// beat tells how far the run is whenever nothing was told for a while, so that
// nobody takes it for dead.
func (r *run) beat() {
	every := r.exec.Heartbeat
	if every <= 0 {
		return
	}
	quiet := r.clock.Since(r.told)
	if quiet >= every {
		r.send(Event{Type: EventProgress, Elapsed: r.clock.Since(r.start), Pending: r.pending()})
		quiet = 0
	}
	r.after(every-quiet, r.beat)
}

// pending lists what the run is busy with, the oldest first.
func (r *run) pending() []PendingObject {
	out := []PendingObject{}
	for _, n := range r.nodes {
		if n.planned == nil || !n.busy() {
			continue
		}
		p := PendingObject{Ref: n.planned.Ref, Elapsed: r.clock.Since(n.begun())}
		if n.phase != phaseRunning {
			p.Reason = r.clean(n.planned, n.reason())
		}
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b PendingObject) int { return int(b.Elapsed - a.Elapsed) })
	return out
}

func (n *node) busy() bool {
	switch n.phase {
	case phaseRunning, phasePausing, phaseWaiting, phaseExplaining:
		return true
	default:
		return false
	}
}

// begun is when the object's part of the run began; unchanged ones have no first
// request.
func (n *node) begun() time.Time {
	if n.started.IsZero() {
		return n.applied
	}
	return n.started
}

// ended is the last event of a run.
func (r *run) ended(out Result, failed error) Event {
	e := Event{Type: EventEnded, Elapsed: out.Elapsed, Counts: &out.Counts, Verdict: out.Verdict}
	if failed != nil {
		e.Reason = failed.Error()
	}
	if failed != nil && !out.Interrupted {
		e.Verdict = VerdictFailed
	}
	return e
}

// Unwritten gives the events of a run that ends before its first write, because
// nothing is to be done or nothing may be: what is settled already, and the end.
func Unwritten(p *plan.Plan, now time.Time) []Event {
	out := Result{}
	var events []Event
	for _, o := range p.Objects {
		e := Event{
			Time: now, Manifest: o.Manifest, Op: o.Op, Reason: o.Reason, Total: len(p.Objects),
			Group: o.Ref.Group, Kind: o.Ref.Kind, Namespace: o.Ref.Namespace, Name: o.Ref.Name,
		}
		result := ObjectResult{Op: o.Op}
		switch o.Op {
		case plan.OpNone, plan.OpExists, plan.OpSkip:
			e.Type, result.Outcome = EventUnchanged, OutcomeUnchanged
		case plan.OpRefuse, plan.OpBlocked:
			e.Type, result.Outcome = EventRefused, OutcomeRefused
		case plan.OpError:
			e.Type, result.Outcome = EventFailed, OutcomeFailed
			if o.Err != nil {
				e.Reason = errorText(o.Err)
			}
		default:
			continue
		}
		out.Objects = append(out.Objects, result)
		e.Settled = len(out.Objects)
		events = append(events, e)
	}
	out.tally()
	return append(events, Event{
		Time: now, Type: EventEnded, Counts: &out.Counts, Verdict: out.Verdict, Settled: len(out.Objects), Total: len(p.Objects),
	})
}
