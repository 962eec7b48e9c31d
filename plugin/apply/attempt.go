package apply

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply/prune"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/readiness"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// attempt is one try at an object, made beside the loop: it must not touch the
// node.
type attempt struct {
	*run
	planned *plan.Object
	step    step
	tries   int // this one included
	session Session
}

// done says how an attempt ended.
type done int

const (
	doneFailed    done = iota // for good
	doneRefused               // by a conflict that only the user can decide
	donePassing               // for now
	doneWritten               // the server took it; answer holds the object
	doneUnchanged             // there was nothing left to do
	doneGone                  // the object is gone
	doneDeleting              // deletion asked for, the object is still there
	doneKept                  // a guard keeps it
	doneStopped               // the run was told to stop between two requests
	doneFound                 // somebody else has made it; answer holds the object
)

// report is what an attempt tells the loop.
type report struct {
	done    done
	planned *plan.Object // as it was sent: may have been planned again
	step    step         // where to go on
	answer  *unstructured.Unstructured
	err     error
	reason  string // in place of err's text
	kept    *prune.Kept
	entry   *state.Entry // for the record
	notes   []string
	// warnings concern the object but don't stop it.
	warnings []string
}

// begin starts an attempt.
func (r *run) begin(n *node) {
	n.phase = phaseRunning
	n.tries++
	if n.started.IsZero() {
		n.started = r.clock.Now()
		r.event(n, EventStarted, "")
	}
	r.inflight++
	a := attempt{run: r, planned: n.planned, step: n.step, tries: n.tries, session: r.exec.Sessions[n.planned.Manifest]}
	go func() {
		rep := a.make()
		r.post(func() {
			r.inflight--
			r.finish(n, rep)
		})
	}()
}

// make does what the step asks for.
func (a attempt) make() report {
	if a.session != nil {
		if err := a.session.Alive(); err != nil {
			return report{done: doneFailed, planned: a.planned, step: a.step, err: err}
		}
	}
	switch a.step {
	case stepDelete:
		return a.remove()
	case stepFind:
		return a.find()
	default:
		return a.write()
	}
}

// finish takes in what an attempt came to.
func (r *run) finish(n *node, rep report) {
	n.planned, n.step = rep.planned, rep.step
	n.notes = append(n.notes, rep.notes...)
	for _, w := range rep.warnings {
		r.warn(n, w)
	}
	switch rep.done {
	case doneWritten:
		r.wrote(n, rep)
	case doneUnchanged:
		r.unchanged(n)
	case doneFound:
		r.found(n, rep.answer)
	case doneGone:
		r.gone(n)
	case doneDeleting:
		r.deleting(n, rep)
	case doneKept:
		r.keep(n, rep.kept)
	case doneRefused:
		r.settle(n, OutcomeRefused, r.becauseOf(n, rep))
	case donePassing:
		r.tryLater(n, rep)
	case doneStopped:
		r.stopped(n)
	default:
		r.fail(n, r.becauseOf(n, rep))
	}
}

// wrote goes on after a write: dependants that need no more start, and the
// answer may already show the object ready.
func (r *run) wrote(n *node, rep report) {
	n.written, n.applied = true, r.clock.Now()
	n.uid, n.version = rep.answer.GetUID(), rep.answer.GetResourceVersion()
	r.uids[n.uid] = n.planned.Ref
	r.record(n, rep.entry)
	r.event(n, EventApplied, "")
	if dying := readiness.Dying(rep.answer.Object); dying != "" {
		r.fail(n, because{reason: dying})
		return
	}
	r.arrive(n, plan.NeedApplied)
	r.waitReady(n, rep.answer)
}

// unchanged settles an object that needs no write, or waits for it where
// something that will be written needs it ready.
func (r *run) unchanged(n *node) {
	o := n.planned
	if dying := readiness.Dying(o.Live); dying != "" && n.wantsReady() {
		r.fail(n, because{reason: dying})
		return
	}
	if o.Strategy.Noop || o.Finished {
		n.ready = true // whatever it is, it is as wanted
		r.settle(n, OutcomeUnchanged, because{})
		return
	}
	r.recordUnchanged(n)
	n.uid, n.version, n.applied = o.UID, o.ResourceVersion, r.clock.Now()
	r.waitReady(n, &unstructured.Unstructured{Object: o.Live})
}

// stopped settles an attempt that found out that the run ends.
func (r *run) stopped(n *node) {
	if r.interrupted {
		r.settle(n, OutcomeLeft, because{reason: leftReason(n), err: n.lastErr})
		return
	}
	r.outOfTime(n)
}

// tryLater gives the place back and comes again, unless the object's time is up.
func (r *run) tryLater(n *node, rep report) {
	n.lastErr = rep.err
	pause := backoff(n.tries)
	switch limit := r.objectTimeout(); {
	case r.stopping.Load():
		r.stopped(n)
	case r.clock.Since(n.started)+pause > limit:
		r.fail(n, r.because(n, "no success within "+limit.String()+": ", rep.err))
	default:
		n.phase = phasePausing
		if reason := r.text(n.planned, rep.err); reason != n.waitReason {
			n.waitReason = reason
			r.event(n, EventRetrying, reason)
		}
		r.after(pause, func() {
			if n.phase == phasePausing {
				r.enqueue(n)
			}
		})
	}
}

// waitTimeout is how long an object may take to become ready or gone.
func (r *run) waitTimeout(n *node) time.Duration {
	if limit := n.planned.Strategy.WaitTimeout; limit > 0 {
		return limit
	}
	if limit := r.exec.Policy.WaitTimeout; limit > 0 {
		return limit
	}
	return r.objectTimeout()
}

// objectTimeout bounds the tries of one object.
func (r *run) objectTimeout() time.Duration {
	if limit := r.exec.Policy.ObjectTimeout; limit > 0 {
		return limit
	}
	return defaultObjectTimeout
}
