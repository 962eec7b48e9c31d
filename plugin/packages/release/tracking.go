package release

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// tracking is the report of one apply while it is made.
type tracking struct {
	mu    sync.Mutex // of all that follows, once the apply has begun
	clock clock.PassiveClock
	every time.Duration
	tell  func(api.Tracking)
	told  time.Time
	fresh bool // something changed since
	// panicked is what the listener panicked with; it hears nothing more then.
	panicked any
	ops      []api.Operation
	stages   []map[object.Ref]steps
	count    map[string]int // of operations of one type on one object
}

// steps are the operations of one object in a stage, as indexes; -1 for none.
type steps struct{ do, wait int }

// Types of operations.
const (
	opRecord         = "create-pending-release"
	opConclude       = "conclude-release"
	opStage          = "stage"
	opTrackReadiness = "track-readiness"
	opTrackAbsence   = "track-absence"
	opWaitExternal   = "wait-external"
)

// newTracking lists the operations of all stages.
func newTracking(s *Service, id identity, number int, stages []*stage, tell func(api.Tracking)) *tracking {
	t := &tracking{clock: s.clock(), every: s.ProgressEvery, tell: tell, count: map[string]int{}}
	if t.every == 0 {
		t.every = DefaultProgressEvery
	}
	behind := t.add(api.Operation{Category: api.CategoryRelease, Type: opRecord, Kind: "Secret", Version: "v1", Namespace: id.namespace, Name: secretName(id.name, number)})
	for _, st := range stages {
		behind = t.addStage(st, behind)
	}
	t.add(api.Operation{Category: api.CategoryRelease, Type: opConclude, Kind: "Secret", Version: "v1", Namespace: id.namespace, Name: secretName(id.name, number), DependsOn: []string{behind}})
	return t
}

// addStage adds the operations of a stage, behind the one named, and returns the one
// that stands for the end of the stage.
func (t *tracking) addStage(st *stage, behind string) string {
	ids := make([][2]string, len(st.order.graph.Nodes)) // what an edge to the node waits for: applied, ready
	at := map[object.Ref]steps{}
	var last []string
	for k, name := range st.order.groups {
		kind := opStage
		if _, ok := st.order.external[name]; ok {
			kind = opWaitExternal
		}
		id := t.add(api.Operation{Category: api.CategoryMeta, Type: kind, Name: string(st.name) + " " + name, DependsOn: []string{behind}})
		ids[st.order.first+k] = [2]string{id, id}
	}
	for _, i := range st.order.sorted(st.plan.Objects) {
		o := st.plan.Objects[i]
		s := steps{-1, -1}
		if typ := typeOf(o); typ != "" {
			s.do = len(t.ops)
			ids[i][0] = t.add(t.about(o, api.CategoryResource, typ))
			ids[i][1] = ids[i][0]
			if !o.Strategy.NoWait {
				wait := t.about(o, api.CategoryTrack, opTrackReadiness)
				if o.Op == plan.OpDelete {
					wait.Type = opTrackAbsence
				}
				wait.DependsOn = []string{ids[i][0]}
				s.wait = len(t.ops)
				ids[i][1] = t.add(wait)
			}
			last = append(last, ids[i][1])
		} else if st.answerable && !o.Strategy.NoWait {
			s.wait = len(t.ops)
			ids[i][1] = t.add(t.about(o, api.CategoryTrack, opTrackReadiness))
			last = append(last, ids[i][1])
		}
		at[o.Ref] = s
	}
	for i, o := range st.plan.Objects {
		first := at[o.Ref].do
		if first < 0 {
			first = at[o.Ref].wait
		}
		if first >= 0 {
			t.ops[first].DependsOn = dependsOn(st.order.graph.Nodes[i].After, ids, behind)
		}
	}
	for k := range st.order.groups {
		node := st.order.first + k
		for j := range t.ops {
			if t.ops[j].ID == ids[node][0] {
				t.ops[j].DependsOn = dependsOn(st.order.graph.Nodes[node].After, ids, behind)
			}
		}
	}
	t.stages = append(t.stages, at)
	return t.add(api.Operation{Category: api.CategoryMeta, Type: opStage, Name: string(st.name), DependsOn: append([]string{behind}, last...)})
}

// dependsOn names the operations behind edges; behind where there are none.
func dependsOn(edges []plan.Edge, ids [][2]string, behind string) []string {
	var out []string
	for _, e := range edges {
		id := ids[e.On][0]
		if e.Need > plan.NeedApplied {
			id = ids[e.On][1]
		}
		if id != "" && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	if len(out) == 0 {
		return []string{behind}
	}
	return out
}

// typeOf names what is done to an object; empty for nothing.
func typeOf(o *plan.Object) string {
	switch o.Op {
	case plan.OpCreate:
		return "create"
	case plan.OpUpdate, plan.OpAdopt:
		return "update"
	case plan.OpReplace:
		return "recreate"
	case plan.OpDelete:
		return "delete"
	default:
		return ""
	}
}

func (t *tracking) about(o *plan.Object, c api.OperationCategory, typ string) api.Operation {
	gvk := gvkOf(o)
	return api.Operation{
		Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Namespace: o.Ref.Namespace, Name: o.Ref.Name, Category: c, Type: typ,
	}
}

// add completes an operation and returns its ID.
func (t *tracking) add(op api.Operation) string {
	parts := []string{op.Type}
	for _, part := range []string{op.Group, op.Version, op.Kind, op.Namespace, op.Name} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	key := strings.Join(parts, "/")
	op.Iteration = t.count[key]
	t.count[key]++
	op.ID, op.Status = fmt.Sprintf("%s/%d", key, op.Iteration), api.OperationPending
	if op.DependsOn == nil {
		op.DependsOn = []string{}
	}
	t.ops = append(t.ops, op)
	return op.ID
}

// set changes the status of an operation that has not ended.
func (t *tracking) set(i int, s api.OperationStatus) {
	if i < 0 || ended(t.ops[i].Status) || t.ops[i].Status == s {
		return
	}
	t.ops[i].Status, t.fresh = s, true
}

func ended(s api.OperationStatus) bool {
	return s == api.OperationCompleted || s == api.OperationFailed || s == api.OperationCanceled
}

// typed changes the operation of the release of this type.
func (t *tracking) typed(typ string, s api.OperationStatus) {
	for i := range t.ops {
		if t.ops[i].Category == api.CategoryRelease && t.ops[i].Type == typ {
			t.set(i, s)
		}
	}
}

// event takes in what happened in a stage.
func (t *tracking) event(stage int, e apply.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.stages[stage][e.Ref()]
	if !ok || e.Name == "" {
		t.report(false)
		return
	}
	switch e.Type {
	case apply.EventStarted, apply.EventRetrying:
		t.set(s.do, api.OperationProgressing)
	case apply.EventApplied, apply.EventWaiting:
		t.set(s.do, api.OperationCompleted)
		t.set(s.wait, api.OperationProgressing)
	case apply.EventReady, apply.EventDeleted, apply.EventUnchanged:
		t.set(s.do, api.OperationCompleted)
		t.set(s.wait, api.OperationCompleted)
	case apply.EventFailed, apply.EventRefused:
		if s.do < 0 || t.ops[s.do].Status == api.OperationCompleted {
			t.set(s.wait, api.OperationFailed) // it was only waited for, or is by now
		}
		t.set(s.do, api.OperationFailed)
		t.set(s.wait, api.OperationCanceled)
	case apply.EventSkipped, apply.EventKept, apply.EventLeft:
		t.set(s.do, api.OperationCanceled)
		t.set(s.wait, api.OperationCanceled)
	}
	t.report(false)
}

// end cancels what has not come to its turn and tells for the last time.
func (t *tracking) end(ok bool) api.Tracking {
	t.mu.Lock()
	defer t.mu.Unlock()
	status := api.OperationCompleted
	if !ok {
		status = api.OperationFailed
	}
	t.settleMeta()
	t.typed(opConclude, status)
	for i := range t.ops {
		t.set(i, api.OperationCanceled)
	}
	t.report(true)
	return t.snapshot()
}

// begin tells for the first time; the pending revision is written by then.
func (t *tracking) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.typed(opRecord, api.OperationCompleted)
	t.report(true)
}

// external takes in how the wait for a foreign object stands.
func (t *tracking) external(st *stage, name string, s api.OperationStatus) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, op := range t.ops {
		if op.Type == opWaitExternal && op.Name == string(st.name)+" "+name {
			t.set(i, s)
		}
	}
	t.report(false)
}

// settleMeta completes operations that are about nothing but what they depend on.
func (t *tracking) settleMeta() {
	status := map[string]api.OperationStatus{}
	for _, op := range t.ops {
		status[op.ID] = op.Status
	}
	for again := true; again; {
		again = false
		for i, op := range t.ops {
			if op.Category != api.CategoryMeta || ended(op.Status) {
				continue
			}
			done := !slices.ContainsFunc(op.DependsOn, func(id string) bool { return status[id] != api.OperationCompleted })
			if done && op.Type != opWaitExternal {
				t.set(i, api.OperationCompleted)
				status[op.ID], again = api.OperationCompleted, true
			}
		}
	}
}

// report tells how far it has come, now or when it is time.
func (t *tracking) report(now bool) {
	if t.tell == nil || !now && (!t.fresh || t.clock.Since(t.told) < t.every) {
		return
	}
	t.settleMeta()
	t.fresh, t.told = false, t.clock.Now()
	defer func() { // whoever listens must not end an apply
		if cause := recover(); cause != nil {
			t.tell, t.panicked = nil, cause
		}
	}()
	t.tell(t.snapshot())
}

// snapshot copies the report.
func (t *tracking) snapshot() api.Tracking {
	out := api.Tracking{Report: api.TrackingReport{Operations: slices.Clone(t.ops)}}
	for _, op := range t.ops {
		if op.Status == api.OperationCompleted {
			out.Completed++
		} else {
			out.Remaining++
		}
	}
	return out
}
