package apply

import (
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply/prune"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// guards are the filters of one run's deletions. They are made when the first
// deletion comes up, which is after everything else is settled, and not changed
// afterwards: attempts ask them too.
type guards struct{ filters []prune.Filter }

func (g *guards) ask(c prune.Candidate) *prune.Kept { return prune.First(g.filters, c) }

// releaseDeletion lets a deletion through, or keeps the object.
func (r *run) releaseDeletion(n *node) {
	if r.guards == nil {
		r.guards = r.makeGuards()
	}
	if kept := r.guards.ask(candidate(n.planned)); kept != nil {
		r.keep(n, kept)
		return
	}
	r.enqueue(n)
}

func candidate(o *plan.Object) prune.Candidate {
	return prune.Candidate{Ref: o.Ref, UID: o.UID, Live: o.Live}
}

// makeGuards adds what only the run knows to the policy's filters.
func (r *run) makeGuards() *guards {
	filters := append([]prune.Filter{prune.Wanted{UIDs: r.uids}}, r.exec.Policy.Guards...)
	deletions := 0
	for _, o := range r.plan.Objects {
		if o.Op == plan.OpDelete && prune.First(filters, candidate(o)) == nil {
			deletions++
		}
	}
	return &guards{filters: append(filters,
		prune.Incomplete{Reason: r.incomplete()},
		r.exec.Policy.MaxPrune.Over(deletions, r.recorded()),
	)}
}

// recorded counts the objects that the records list.
func (r *run) recorded() int {
	count := 0
	for _, rec := range r.records {
		if rec != nil {
			count += len(rec.Entries)
		}
	}
	return count
}

// ignores tells that whether the object is ready is no matter of this run.
func (r *run) ignores(n *node) bool {
	return r.exec.Policy.IgnoreUnchanged && !r.answers(n) && n.outcome == OutcomeUnchanged
}

// incomplete names what keeps the run from being complete before its deletions.
func (r *run) incomplete() string {
	for _, n := range r.nodes {
		if n.planned == nil || n.planned.Leaves() {
			continue
		}
		switch {
		case n.planned.Strategy.FailureIgnored:
		case !n.outcome.good():
			return fmt.Sprintf("%s %s", n.name(), verbOf(n))
		case !n.ready && !r.exec.Policy.NoWait && !n.planned.Strategy.NoWait && !r.ignores(n):
			return fmt.Sprintf("%s is not ready", n.name())
		}
	}
	return ""
}
