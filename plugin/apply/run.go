package apply

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// run is the state of one Executor.Run. All of it but the fields marked below
// belongs to the goroutine of loop.
type run struct {
	exec  *Executor
	plan  *plan.Plan
	clock clock.Clock
	start time.Time

	nodes    []*node // as in the graph: objects first
	total    int     // objects
	deletes  bool    // something is to be deleted
	open     int     // objects not settled
	gates    int     // gates not passed
	inflight int
	queue    nodeQueue
	timers   timerQueue
	tracker  *tracker
	pods     *podWatch
	claims   *claims
	guards   *guards

	// uids are the live objects that some file wants.
	uids        map[types.UID]object.Ref
	warnings    []string
	failedGates []GateError
	explained   int // failures that were looked into
	interrupted bool
	timedOut    bool
	told        time.Time // the last event

	// Shared with attempts and watches, not changed while they run.
	inbox       chan func()
	done        chan struct{}
	work        context.Context // for reads: ends a while after the run was told to stop
	stopWork    context.CancelFunc
	requests    context.Context // for writes: ends when the run is told to stop
	stopWrites  context.CancelCauseFunc
	definitions map[schema.GroupKind]*plan.Object // CRDs of the plan
	namespaces  map[string]bool                   // Namespaces of the plan
	records     map[string]*state.Record
	stopping    atomic.Bool // no write may start
}

func newRun(e *Executor, p *plan.Plan, g plan.Graph) *run {
	r := &run{
		exec: e, plan: p, clock: e.Clock, total: len(p.Objects),
		uids:        map[types.UID]object.Ref{},
		inbox:       make(chan func()),
		done:        make(chan struct{}),
		definitions: map[schema.GroupKind]*plan.Object{},
		namespaces:  map[string]bool{},
		records:     map[string]*state.Record{},
	}
	if r.clock == nil {
		r.clock = clock.RealClock{}
	}
	r.start = r.clock.Now()
	for _, m := range p.Manifests {
		r.records[m.Name] = m.Record
	}
	r.learn()
	r.nodes = makeNodes(p, g)
	r.open = r.total
	r.countGates()
	r.tracker = newTracker(r)
	r.pods = newPodWatch(r)
	r.claims = newClaims(r)
	return r
}

// learn notes what the plan itself brings, so that refusals which only mean "not
// yet" are recognised.
func (r *run) learn() {
	for _, o := range r.plan.Objects {
		if o.Leaves() {
			r.deletes = r.deletes || o.Op == plan.OpDelete
			continue
		}
		if o.UID != "" {
			r.uids[o.UID] = o.Ref
		}
		switch {
		case o.Ref.GroupKind() == schema.GroupKind{Kind: "Namespace"}:
			r.namespaces[o.Ref.Name] = true
		case isDefinition(o.Ref):
			gk := definedKind(o.Desired.Body)
			if _, twice := r.definitions[gk]; gk.Kind != "" && !twice {
				r.definitions[gk] = o
			}
		}
	}
}

// loop runs until every object is settled.
func (r *run) loop(ctx context.Context) {
	r.work, r.stopWork = context.WithCancel(context.WithoutCancel(ctx))
	defer r.stopWork()
	r.requests, r.stopWrites = context.WithCancelCause(r.work)
	defer r.stopWrites(nil)
	defer close(r.done)
	if limit := r.exec.Policy.Timeout; limit > 0 {
		r.after(limit, r.expire)
	}
	r.openRoots()
	for r.unfinished() {
		if ctx.Err() != nil && !r.interrupted {
			r.interrupt()
			continue
		}
		r.startQueued()
		if r.unfinished() {
			r.await(ctx)
		}
	}
}

// await handles one thing that happens.
func (r *run) await(ctx context.Context) {
	interrupt := ctx.Done()
	if r.interrupted {
		interrupt = nil
	}
	timer, stop := r.nextTimer()
	defer stop()
	select {
	case f := <-r.inbox:
		f()
	case <-timer:
		r.fireTimers()
	case <-interrupt:
	}
}

// post hands a function to the loop; it is dropped when the run is over.
func (r *run) post(f func()) {
	select {
	case r.inbox <- f:
	case <-r.done:
	}
}

// bound is how many attempts may be in flight now.
func (r *run) bound() int {
	limit := r.exec.Concurrency
	if limit < 1 {
		limit = defaultConcurrency
	}
	if r.exec.Window != nil {
		limit = min(limit, max(1, r.exec.Window()))
	}
	return limit
}

// interrupt stops the run: nothing is started any more, attempts in flight get a
// while to finish, everything else is settled as it stands.
func (r *run) interrupt() {
	r.interrupted = true
	r.halt(func(n *node) {
		switch n.phase {
		case phaseExplaining:
			r.settle(n, OutcomeFailed, n.failure)
		case phaseWaiting:
			r.leaveWaiting(n)
		default:
			r.settle(n, OutcomeLeft, because{reason: leftReason(n), err: n.lastErr})
		}
	})
}

func leftReason(n *node) string {
	switch {
	case n.lastErr != nil:
		return "interrupted while trying again"
	case n.step == stepCreate:
		return "interrupted after it was deleted and before it was created again"
	default:
		return "interrupted before it was started"
	}
}

// leaveWaiting settles an object whose write is done.
func (r *run) leaveWaiting(n *node) {
	n.interrupted = true
	switch {
	case n.step == stepGone:
		r.settle(n, OutcomeLeft, because{reason: "interrupted while it was being deleted"})
	case !n.planned.Op.Writes():
		r.settle(n, OutcomeUnchanged, because{reason: "interrupted while waiting: " + n.waitReason})
	default:
		r.settle(n, OutcomeApplied, because{reason: "interrupted while waiting: " + n.waitReason})
	}
}

// expire ends the run by Policy.Timeout.
func (r *run) expire() {
	if r.stopping.Load() {
		return
	}
	r.timedOut = true
	limit := r.exec.Policy.Timeout
	r.halt(func(n *node) {
		switch n.phase {
		case phaseExplaining: // on its way out
		case phaseWaiting:
			r.timeOut(n, limit)
		default:
			r.outOfTime(n)
		}
	})
}

// outOfTime settles an object that was not written before Policy.Timeout.
func (r *run) outOfTime(n *node) {
	limit := r.exec.Policy.Timeout
	switch {
	case n.lastErr != nil:
		r.fail(n, r.because(n, fmt.Sprintf("no success within the time limit of the run, %s: ", limit), n.lastErr))
	case n.step == stepCreate:
		r.fail(n, because{reason: fmt.Sprintf("deleted and not created again within the time limit of the run, %s", limit)})
	default:
		r.settle(n, OutcomeSkipped, because{reason: fmt.Sprintf("not started within the time limit of the run, %s", limit)})
	}
}

// errStopped is the cause with which requests are told to come to an end. The
// client lets a write that is on its way have its answer, and tries nothing again.
var errStopped = errors.New("the run was stopped")

// halt lets nothing start any more and applies end to what is not in flight.
func (r *run) halt(end func(*node)) {
	r.stopping.Store(true)
	r.stopWrites(errStopped)
	r.after(grace, r.stopWork)
	r.queue = nil
	r.leaveGates()
	for _, n := range r.nodes {
		if n.planned != nil && n.phase != phaseSettled && n.phase != phaseRunning {
			end(n)
		}
	}
}
