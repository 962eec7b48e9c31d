package release

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/nelm"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// runner runs the stages of one action, one after the other.
type runner struct {
	*Service
	id       identity
	deadline time.Time
	tracking *tracking // nil where nobody listens
	warnings []string
	// waits hears of what is waited for while nothing else goes on; nil where nobody does.
	waits func([]Waiting)
	// swept are objects that go when all is done.
	swept []*plan.Object
}

// errFailed is why a run is ended at the first object that fails.
var errFailed = errors.New("an object failed")

// stages runs all stages, then deletes what was only meant to do its work. The error
// names every object that failed, or what was waited for when the time was up.
func (r *runner) stages(ctx context.Context, stages []*stage) error {
	var failed error
	for i, st := range stages {
		if failed = r.stage(ctx, i, st); failed != nil {
			break
		}
	}
	return errors.Join(failed, r.sweep(ctx))
}

// stage runs one stage.
func (r *runner) stage(ctx context.Context, index int, st *stage) error {
	r.warnings = append(r.warnings, st.order.warnings...)
	r.warnings = append(r.warnings, st.plan.Warnings...)
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	executor := r.executor(st)
	executor.Gates = r.trackedGates(st)
	executor.Events = func(e apply.Event) {
		if r.tracking != nil {
			r.tracking.event(index, e)
		}
		if e.Type == apply.EventProgress && r.waits != nil {
			r.waits(pending(e.Pending))
		}
		if e.Type == apply.EventFailed || e.Type == apply.EventRefused {
			if rules, ok := st.rules[e.Ref()]; ok && rules.FailMode == nelm.FailAtOnce {
				stop(errFailed)
			}
		}
	}
	result, err := executor.Run(running, st.plan, st.order.graph)
	r.collect(st, result)
	if err != nil {
		return err
	}
	return r.conclude(ctx, st, result)
}

// executor is the engine with the apply's side of the policy of packages.
func (r *runner) executor(st *stage) *apply.Executor {
	left := max(r.deadline.Sub(r.clock().Now()), time.Millisecond)
	heartbeat := r.ProgressEvery
	if heartbeat == 0 {
		heartbeat = DefaultProgressEvery
	}
	return &apply.Executor{
		Client: r.Cluster, Clock: r.clock(), Concurrency: r.Concurrency, Replan: st.planner.Replan, Heartbeat: heartbeat,
		Policy: apply.Policy{
			FieldManager: fieldManager, Timeout: left, ObjectTimeout: r.limit(), Replan: true, Answerable: st.answerable, IgnoreUnchanged: true,
			Propagation: "Foreground", Guards: guardsOf(r.id),
		},
	}
}

// trackedGates are the waits for foreign objects, which the report knows of.
func (r *runner) trackedGates(st *stage) map[string]apply.Gate {
	gates := r.gates(r.id, st.order)
	if r.tracking == nil {
		return gates
	}
	for name, gate := range gates {
		gates[name] = func(ctx context.Context) error {
			r.tracking.external(st, name, api.OperationProgressing)
			err := gate(ctx)
			status := api.OperationCompleted
			if err != nil {
				status = api.OperationFailed
			}
			r.tracking.external(st, name, status)
			return err
		}
	}
	return gates
}

// collect notes what is to be deleted in the end, and failures that count for nothing.
func (r *runner) collect(st *stage, result apply.Result) {
	for i, o := range result.Objects {
		planned := st.plan.Objects[i]
		rules, ok := st.rules[o.Ref]
		if !ok {
			continue
		}
		failed := o.Outcome == apply.OutcomeFailed
		if done := o.Outcome == apply.OutcomeApplied && o.Ready; done && rules.Deletes(nelm.Succeeded) || failed && o.Written && rules.Deletes(nelm.Failed) {
			r.swept = append(r.swept, planned)
		}
		if failed && rules.FailMode == nelm.Ignore {
			r.warnings = append(r.warnings, fmt.Sprintf("%s failed, and its annotation %s lets that pass: %s", o.Ref, nelm.FailModeAnnotation, o.Reason))
		}
	}
}

// conclude makes an error of a result.
func (r *runner) conclude(ctx context.Context, st *stage, result apply.Result) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if result.TimedOut {
		return &TimeoutError{Release: r.id.name, Limit: r.limit(), Waiting: waitedFor(result)}
	}
	var failed []error
	for _, o := range result.Objects {
		rules, wanted := st.rules[o.Ref]
		switch {
		case wanted && rules.FailMode == nelm.Ignore:
		case o.Outcome == apply.OutcomeFailed, o.Outcome == apply.OutcomeRefused, o.Outcome == apply.OutcomeSkipped && !result.Interrupted:
			failed = append(failed, objectError(o))
		case st.answerable && wanted && !rules.NonBlocking && !o.Ready && !result.Interrupted:
			failed = append(failed, objectError(o))
		}
	}
	for _, g := range result.Gates {
		failed = append(failed, g)
	}
	return errors.Join(failed...)
}

// objectError words the failure of one object with what was found out about it.
func objectError(o apply.ObjectResult) error {
	text := o.Reason
	if text == "" {
		text = "it is not ready"
	}
	for _, line := range o.Details {
		text += "\n  " + line
	}
	if o.Err != nil {
		return fmt.Errorf("%s: %s%w", o.Ref, text, quiet{o.Err})
	}
	return fmt.Errorf("%s: %s", o.Ref, text)
}

// quiet is an error that is there to be asked about; what it says stands beside it, in
// words that hold no secrets.
type quiet struct{ err error }

// Error says nothing.
func (quiet) Error() string { return "" }

// Unwrap gives the error.
func (q quiet) Unwrap() error { return q.err }

// sweep deletes what has done its work, or has failed and asked for that.
func (r *runner) sweep(ctx context.Context) error {
	if len(r.swept) == 0 || ctx.Err() != nil {
		return nil
	}
	p := &plan.Plan{}
	for _, o := range r.swept {
		live, err := r.Cluster.Get(ctx, o.Mapping, o.Ref.Namespace, o.Ref.Name)
		if err != nil {
			continue // it is gone, or will be found by the next run
		}
		p.Objects = append(p.Objects, &plan.Object{
			Manifest: r.id.name, Ref: o.Ref, Key: o.Key, Mapping: o.Mapping, MappingKnown: true, Live: live.Object,
			UID: live.GetUID(), ResourceVersion: live.GetResourceVersion(), Op: plan.OpDelete, Strategy: o.Strategy,
		})
	}
	graph, err := plan.Order(p.Objects, nil)
	if err != nil {
		return err
	}
	executor := r.executor(&stage{})
	executor.Policy.Guards, executor.Replan = nil, nil
	result, err := executor.Run(ctx, p, graph)
	if err != nil {
		return err
	}
	var failed []error
	for _, o := range result.Objects {
		if o.Outcome != apply.OutcomeDeleted {
			failed = append(failed, fmt.Errorf("%s has done its work and is not gone: %s", o.Ref, o.Reason))
		}
	}
	return errors.Join(failed...)
}

// TimeoutError says that an apply took longer than it may.
type TimeoutError struct {
	Release string
	Limit   time.Duration
	// Waiting are the objects that were waited for, those in progress first.
	Waiting []Waiting
}

// Waiting is an object that was waited for, and how far it had come.
type Waiting struct {
	Ref    object.Ref // zero for what is no object of the release
	Name   string
	Reason string
}

// mostNamed is how many objects the message of a timeout names.
const mostNamed = 5

// Error names the first of them on one line; how far they had come stands below.
func (e *TimeoutError) Error() string {
	text := fmt.Sprintf("install release '%s': apply timed out after %s", e.Release, e.Limit)
	var short, long []string
	for i, w := range e.Waiting {
		if i == mostNamed {
			short = append(short, "…")
			break
		}
		short = append(short, w.Name)
		if w.Reason != "" {
			long = append(long, "\n  "+w.Name+": "+strings.ReplaceAll(w.Reason, "\n", " "))
		}
	}
	if len(short) > 0 {
		text += ", waiting for " + strings.Join(short, ", ")
	}
	return text + strings.Join(long, "")
}

// waitedFor finds the objects that kept a run from its end.
func waitedFor(result apply.Result) []Waiting {
	var progressing, pending []Waiting
	for _, g := range result.Gates {
		progressing = append(progressing, Waiting{Name: g.Name, Reason: g.Err.Error()})
	}
	for _, o := range result.Objects {
		w := Waiting{Ref: o.Ref, Name: o.Ref.Kind + "/" + o.Ref.Name, Reason: o.Reason}
		switch {
		case o.Outcome == apply.OutcomeFailed, o.Outcome == apply.OutcomeApplied && !o.Ready:
			progressing = append(progressing, w)
		case o.Outcome == apply.OutcomeSkipped, o.Outcome == apply.OutcomeLeft:
			w.Reason = ""
			pending = append(pending, w)
		}
	}
	return append(progressing, pending...)
}
