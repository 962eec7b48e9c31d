package apply

import (
	"context"
	"time"

	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// Executor runs plans. Its fields are set once and not changed while it runs.
type Executor struct {
	Client Writer
	// Sessions are the records to write, by manifest. A manifest without one is
	// applied and not recorded.
	Sessions map[string]Session
	Policy   Policy
	// Concurrency bounds the attempts in flight; 0 means 16.
	Concurrency int
	// Window, if set, is asked for the present bound before each start, as
	// cluster.Limiter.Window answers it: the server may have asked for patience.
	Window func() int
	// Clock is the real one if nil.
	Clock clock.Clock
	// Events receives every event, one at a time, from the goroutine that calls
	// Run; nil drops them. A slow receiver slows the run down.
	Events func(Event)
	// Heartbeat is how long a run may be silent before it tells what it waits for;
	// 0 means for ever.
	Heartbeat time.Duration
	// Gates are work between objects, by the name of the group that stands for it
	// in the graph.
	Gates map[string]Gate
	// Replan plans one object again after a conflict. nil: a conflict is final.
	Replan func(ctx context.Context, o *plan.Object) (*plan.Object, error)
	// Hasher gives the form in which applied bodies are recorded.
	Hasher object.Hasher
	// Proof is recorded with an object as it is live after the run, see
	// plan.Planner.Proof; nil records none.
	Proof func(o *plan.Object, live map[string]any) string
	// Masker cleans texts; the zero value is the default one.
	Masker *object.Masker
	// Logs explains failures; nil leaves logs out.
	Logs LogReader
	// Metadata goes into the records of manifests that were applied completely. A
	// zero LastSyncedAt is the time of the save.
	Metadata state.Metadata
	// Undoes is set for a run that takes another one back: the metadata that records
	// get again, by manifest. One without a time of a sync gets none.
	Undoes map[string]state.Metadata
}

// Run does what the plan says in the order of the graph. When ctx ends, nothing
// more is started, what is in flight is finished and the records are saved.
//
// The error is about the run itself: a record that can't be written, at the end an
// *UnsavedError for each. What became of objects, also when they failed, is in the
// Result, which is complete even when there is an error.
func (e *Executor) Run(ctx context.Context, p *plan.Plan, g plan.Graph) (Result, error) {
	r := newRun(e, p, g)
	r.send(Event{Type: EventBegan})
	out, err := r.whole(ctx)
	r.send(r.ended(out, err))
	return out, err
}

// whole is a run from its write-ahead to its save.
func (r *run) whole(ctx context.Context) (Result, error) {
	if err := r.writeAhead(ctx); err != nil {
		return r.unstarted(err), err
	}
	r.beat()
	r.loop(ctx)
	unsaved, err := r.save(ctx)
	out := r.result()
	out.Unsaved = unsaved
	return out, err
}
