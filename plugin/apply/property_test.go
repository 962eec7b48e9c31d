package apply

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// TestRunHoldsItsPromises makes random plans over random graphs on a cluster that
// refuses, delays, fails and is interrupted at random, and checks what must hold
// in any case.
func TestRunHoldsItsPromises(t *testing.T) {
	for seed := range uint64(400) {
		synctest.Test(t, func(t *testing.T) {
			s := newScenario(t, seed)
			s.run()
			s.check()
		})
		require.False(t, t.Failed(), "seed %d", seed)
	}
}

type scenario struct {
	*harness
	rng     *rand.Rand
	objects []*plan.Object
	graph   plan.Graph
	result  Result
}

func newScenario(t *testing.T, seed uint64) *scenario {
	s := &scenario{harness: newHarness(t), rng: rand.New(rand.NewPCG(seed, 1))}
	s.exec.Policy.ObjectTimeout = 30 * time.Second
	s.exec.Policy.NoWait = s.chance(4)
	s.exec.Concurrency = 1 + s.rng.IntN(4)
	s.cluster.delay = time.Duration(s.rng.IntN(1500)) * time.Millisecond
	if s.chance(4) {
		s.exec.Policy.Timeout = time.Duration(1+s.rng.IntN(20)) * time.Second
	}
	for i := range 3 + s.rng.IntN(12) {
		s.objects = append(s.objects, s.object(i))
	}
	s.addGraph()
	fates := map[string]int{}
	s.cluster.refuse = func(call string) error {
		verb, name, _ := strings.Cut(call, " ")
		if verb != "apply" && verb != "delete" {
			return nil
		}
		if _, ok := fates[name]; !ok {
			fates[name] = s.rng.IntN(10)
		}
		switch fates[name] {
		case 0:
			return serverError(403, "Forbidden", "no")
		case 1:
			fates[name] = 9
			return serverError(500, "InternalError", "failed calling webhook")
		default:
			return nil
		}
	}
	s.cluster.touch = func(u *unstructured.Unstructured) {
		if u.GetKind() == "Job" && s.chance(2) {
			setCondition(u, []string{"Complete", "Complete", "Failed"}[s.rng.IntN(3)], "True", "", "")
		}
	}
	return s
}

func (s *scenario) chance(of int) bool { return s.rng.IntN(of) == 0 }

// object makes one with a random operation.
func (s *scenario) object(i int) *plan.Object {
	kind := []string{"v1, kind: ConfigMap", "batch/v1, kind: Job"}[s.rng.IntN(2)]
	text := fmt.Sprintf("{apiVersion: %s, metadata: {name: o%d, namespace: x}}", kind, i)
	switch s.rng.IntN(8) {
	case 0:
		o := creates(s.t, text)[0]
		o.Op = plan.OpRefuse
		return o
	case 1:
		s.cluster.put(s.t, text)
		return s.cluster.over(s.t, plan.OpNone, text)
	case 2:
		s.cluster.put(s.t, text)
		return s.cluster.over(s.t, plan.OpReplace, text)
	case 3:
		s.cluster.put(s.t, text)
		return s.cluster.over(s.t, plan.OpDelete, text)
	default:
		return creates(s.t, text)[0]
	}
}

// addGraph links objects to earlier ones, some over a group, deletions last.
func (s *scenario) addGraph() {
	n := len(s.objects)
	s.graph.Nodes = make([]plan.Node, n, n+2)
	group, gate := n, n+1
	s.graph.Nodes = append(s.graph.Nodes, plan.Node{Object: -1, Group: "group"}, plan.Node{Object: -1, Group: "gate"})
	for i, o := range s.objects {
		s.graph.Nodes[i].Object = i
		s.graph.Sequence = append(s.graph.Sequence, i)
		if o.Op == plan.OpDelete {
			s.edge(i, plan.Edge{On: gate, Need: plan.NeedReady})
			continue
		}
		s.edge(gate, plan.Edge{On: i, Need: plan.NeedReady})
		for j := range i {
			if s.objects[j].Op != plan.OpDelete && s.chance(4) {
				s.edge(i, plan.Edge{On: j, Need: plan.Need(s.rng.IntN(2)), Hard: s.chance(2), Why: "why"})
			}
		}
		switch {
		case i < n/2 && s.chance(3):
			s.edge(group, plan.Edge{On: i, Hard: s.chance(2), Why: "member"})
		case i >= n/2 && s.chance(3):
			s.edge(i, plan.Edge{On: group, Hard: s.chance(2), Why: "group"})
		}
	}
}

func (s *scenario) edge(later int, e plan.Edge) {
	s.graph.Nodes[later].After = append(s.graph.Nodes[later].After, e)
}

func (s *scenario) run() {
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	if s.chance(4) {
		time.AfterFunc(time.Duration(s.rng.IntN(10_000))*time.Millisecond, cancel)
	}
	var err error
	s.result, err = s.exec.Run(ctx, &plan.Plan{Objects: s.objects, Manifests: []plan.Manifest{{Name: "m"}}}, s.graph)
	require.NoError(s.t, err)
}

func (s *scenario) check() {
	s.checkEvents()
	s.checkOrder()
	s.checkDeletions()
	s.checkRecord()
	assert.Less(s.t, s.result.Elapsed, 10*time.Minute)
}

// checkEvents: every object ends, and is told to have ended once.
func (s *scenario) checkEvents() {
	for _, o := range s.result.Objects {
		assert.NotEmpty(s.t, o.Outcome, o.Ref)
		ends := 0
		for _, e := range s.events {
			switch e.Type {
			case EventUnchanged, EventReady, EventFailed, EventRefused, EventSkipped, EventDeleted, EventKept, EventLeft:
				if e.Name == o.Ref.Name {
					ends++
				}
			}
		}
		if o.Outcome == OutcomeApplied && !o.Ready {
			assert.LessOrEqual(s.t, ends, 1, o.Ref)
			continue
		}
		assert.Equal(s.t, 1, ends, o.Ref)
	}
}

// checkOrder: nothing is written behind something that failed by a hard edge, or
// before what it comes after was settled far enough.
func (s *scenario) checkOrder() {
	started, reached := map[string]int{}, map[string]int{}
	for at, e := range s.events {
		if e.Type == EventStarted {
			started[e.Name] = at
		}
		if _, ok := reached[e.Name]; !ok && e.Type != EventStarted && e.Type != EventWaiting && e.Type != EventRetrying && e.Type != EventWarning {
			reached[e.Name] = at
		}
	}
	for i, n := range s.graph.Nodes[:len(s.objects)] {
		later := s.result.Objects[i]
		at, began := started[later.Ref.Name]
		for _, e := range n.After {
			if e.On >= len(s.objects) || !began {
				continue
			}
			earlier := s.result.Objects[e.On]
			assert.Less(s.t, reached[earlier.Ref.Name], at, "%s before %s", later.Ref, earlier.Ref)
			if e.Hard {
				assert.True(s.t, earlier.Outcome.good() || earlier.Written, "%s was written although %s %s", later.Ref, earlier.Ref, earlier.Outcome)
			}
			if e.Hard && e.Need == plan.NeedReady {
				assert.True(s.t, earlier.Ready, "%s was written although %s is not ready", later.Ref, earlier.Ref)
			}
		}
	}
}

// checkDeletions: none unless all else went well, and never without a uid.
func (s *scenario) checkDeletions() {
	whole := true
	for _, o := range s.result.Objects {
		whole = whole && (o.Op == plan.OpDelete || o.Outcome.good())
	}
	for i, o := range s.result.Objects {
		if o.Op == plan.OpDelete && o.Outcome == OutcomeDeleted {
			assert.True(s.t, whole, "%s was deleted by a run that did not succeed", o.Ref)
		}
		if o.Op == plan.OpDelete && !s.cluster.has(o.Ref.Kind+" x/"+o.Ref.Name) {
			assert.True(s.t, whole, "%s is gone", s.objects[i].Ref)
		}
	}
	for _, d := range s.cluster.deletes {
		assert.NotEmpty(s.t, d.UID)
	}
}

// checkRecord: it knows of every object that is there because of the run.
func (s *scenario) checkRecord() {
	assert.Len(s.t, s.session.saves, 1)
	ahead := map[string]bool{}
	for _, k := range s.session.ahead {
		ahead[k.Name] = true
	}
	for _, o := range s.result.Objects {
		_, applied := s.session.applied[o.Ref.String()]
		if o.Outcome == OutcomeApplied {
			assert.True(s.t, applied, o.Ref)
		}
		if o.Op == plan.OpCreate && s.cluster.has(o.Ref.Kind+" x/"+o.Ref.Name) {
			assert.True(s.t, ahead[o.Ref.Name], o.Ref)
		}
	}
}
