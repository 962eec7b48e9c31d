package apply

import (
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// openRoots releases what waits for nothing.
func (r *run) openRoots() {
	for _, n := range r.nodes {
		if n.shut == 0 && n.phase == phaseBlocked {
			r.release(n)
		}
	}
}

// arrive opens the edges that asked for no more than this.
func (r *run) arrive(n *node, need plan.Need) {
	for i := range n.later {
		d := &n.later[i]
		if !d.open && d.edge.Need <= need {
			d.open = true
			r.unblock(d.node, nil)
		}
	}
}

// shutOut opens all edges that are left after a node failed, or will not become
// ready: soft ones let pass, hard ones hand the reason on.
func (r *run) shutOut(n *node) {
	for i := range n.later {
		d := &n.later[i]
		if d.open {
			continue
		}
		d.open = true
		if d.edge.Hard {
			r.unblock(d.node, dependencyReason(n, d))
		} else {
			r.unblock(d.node, nil)
		}
	}
}

// dependencyReason names the object that failed first: groups hand on theirs. An
// object that is to be deleted is needed by those that go before it.
func dependencyReason(n *node, d *dependant) *because {
	if n.planned == nil {
		return n.blocked
	}
	why := ""
	if d.edge.Why != "" {
		why = " (" + d.edge.Why + ")"
	}
	if n.planned.Leaves() && d.node.planned != nil && d.node.planned.Leaves() {
		return &because{reason: fmt.Sprintf("%s %s and needs it%s", n.name(), verbOf(n), why)}
	}
	return &because{reason: fmt.Sprintf("it depends on %s%s, which %s", n.name(), why, verbOf(n))}
}

// verbOf words an outcome for those that depend on it.
func verbOf(n *node) string {
	switch n.outcome {
	case OutcomeSkipped:
		return "was skipped"
	case OutcomeKept:
		return "was kept"
	case OutcomeRefused:
		return "was refused"
	case OutcomeLeft:
		return "was not reached"
	case OutcomeFailed:
		return "failed"
	default:
		return "is not ready"
	}
}

// unblock takes one edge away from a node. A reason settles it at once, but for
// objects that are as wanted: there is nothing to be stopped. A run that stops
// settles everything itself.
func (r *run) unblock(n *node, why *because) {
	if n.phase != phaseBlocked || r.stopping.Load() {
		return
	}
	n.shut--
	if why != nil && n.blocked == nil {
		n.blocked = why
	}
	switch {
	case n.blocked != nil && n.planned != nil && n.planned.Op.Writes():
		r.settle(n, OutcomeSkipped, *n.blocked)
	case n.shut == 0:
		r.release(n)
	}
}

// release starts what needs no request and queues the rest.
func (r *run) release(n *node) {
	if n.planned == nil {
		r.releaseGroup(n)
		return
	}
	switch n.planned.Op {
	case plan.OpNone, plan.OpSkip:
		r.unchanged(n)
	case plan.OpRefuse, plan.OpBlocked:
		r.settle(n, OutcomeRefused, because{reason: Refusal(n.planned)})
	case plan.OpError:
		r.fail(n, r.because(n, "", n.planned.Err))
	case plan.OpDelete:
		r.releaseDeletion(n)
	case plan.OpCreate, plan.OpUpdate, plan.OpAdopt, plan.OpReplace, plan.OpExists:
		r.enqueue(n)
	default:
		r.fail(n, because{reason: "unknown operation " + string(n.planned.Op)})
	}
}

func (r *run) releaseGroup(n *node) {
	if r.isGate(n) && n.blocked == nil {
		r.startGate(n)
		return
	}
	n.phase = phaseSettled
	if n.blocked != nil {
		r.skipGate(n)
		r.shutOut(n)
		return
	}
	r.arrive(n, plan.NeedDone)
}

// settle ends a node's part of the run and tells those behind it.
func (r *run) settle(n *node, o Outcome, why because) {
	if n.phase == phaseSettled {
		return
	}
	n.phase, n.outcome, n.because = phaseSettled, o, why
	if !n.started.IsZero() {
		n.elapsed = r.clock.Since(n.started)
	}
	r.open--
	r.tracker.drop(n)
	r.eventSettled(n)
	if !o.good() {
		r.shutOut(n)
		return
	}
	if n.ready || o == OutcomeDeleted || o.good() && n.planned.Strategy.NoWait {
		r.arrive(n, plan.NeedDone)
		return
	}
	r.arrive(n, plan.NeedApplied)
	r.shutOut(n)
}

// fail settles a node as failed.
func (r *run) fail(n *node, why because) { r.settle(n, OutcomeFailed, why) }
