package apply

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// phase is where a node stands.
type phase int

const (
	phaseBlocked    phase = iota // edges are shut
	phaseQueued                  // waits for a place
	phaseRunning                 // an attempt is in flight
	phasePausing                 // the next attempt comes later
	phaseWaiting                 // written; not ready, or not gone yet
	phaseExplaining              // failed; the cause is looked up
	phaseSettled
)

// step is which request an attempt makes.
type step int

const (
	stepWrite  step = iota
	stepDelete      // first half of a replacement, and all of a deletion
	stepGone        // wait for the end of the deletion
	stepCreate      // second half of a replacement
	stepFind        // look whether somebody else has made it
)

// node is an object or group of the graph with what became of it.
type node struct {
	index    int
	position int          // in the graph's sequence, counted from 1
	planned  *plan.Object // nil for groups; replaced when planned again
	group    string
	later    []dependant
	shut     int // edges that are not open

	phase   phase
	step    step
	blocked *because // why it must not start

	started, applied time.Time
	moved            time.Time // something changed last while it was waited for
	tries            int
	lastErr          error

	// What is waited for: the object with this uid, from this version on.
	uid        types.UID
	version    string
	latest     *unstructured.Unstructured
	denials    int // how often we were refused to look at it
	waitReason string
	podReason  string
	failure    because
	failing    failing
	// entry is what the record will say of it; nil if nothing new.
	entry *state.Entry

	outcome Outcome
	ready   bool
	written bool
	unready bool // it failed while it was waited for to become ready
	came    bool // the tracker expects it no longer
	// interrupted is set where the wait was given up because of an interrupt.
	interrupted bool
	because     because
	notes       []string
	elapsed     time.Duration
}

// dependant is an edge seen from the earlier node.
type dependant struct {
	node *node
	edge plan.Edge
	open bool
}

// because is a sentence for people, with what stands behind it.
type because struct {
	reason  string
	details []string
	err     error
}

// makeNodes turns the graph round, so that each node knows what waits for it.
func makeNodes(p *plan.Plan, g plan.Graph) []*node {
	nodes := make([]*node, len(g.Nodes))
	for i, gn := range g.Nodes {
		nodes[i] = &node{index: i, group: gn.Group, shut: len(gn.After)}
		if gn.Object >= 0 {
			nodes[i].planned = p.Objects[gn.Object]
			nodes[i].step = firstStep(nodes[i].planned.Op)
		}
	}
	for i, gn := range g.Nodes {
		for _, e := range gn.After {
			nodes[e.On].later = append(nodes[e.On].later, dependant{node: nodes[i], edge: e})
		}
	}
	for at, i := range g.Sequence {
		nodes[i].position = at + 1
	}
	return nodes
}

func firstStep(op plan.Op) step {
	if op == plan.OpExists {
		return stepFind
	}
	if op == plan.OpDelete || op == plan.OpReplace {
		return stepDelete
	}
	return stepWrite
}

// name is the object's or the group's.
func (n *node) name() string {
	if n.planned == nil {
		return n.group
	}
	return n.planned.Ref.String()
}

// good tells whether an outcome lets dependants go on that need no readiness.
func (o Outcome) good() bool {
	return o == OutcomeUnchanged || o == OutcomeApplied || o == OutcomeDeleted
}

// wantsReady tells whether something that will be written can't start before
// this node is ready.
func (n *node) wantsReady() bool {
	for _, d := range n.later {
		if d.open || !d.edge.Hard || d.edge.Need < plan.NeedReady {
			continue
		}
		if d.node.planned == nil || d.node.planned.Op.Writes() {
			return true
		}
	}
	return false
}
