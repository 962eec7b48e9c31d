package plan

import (
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Need is what must have become of a node before the one behind the edge starts.
type Need int

// Needs. Of a deletion NeedApplied means asked for and NeedReady means gone.
const (
	NeedApplied Need = iota
	// NeedReady is also met where a wait rule says that others may start although the
	// object is still waited for.
	NeedReady
	// NeedDone is ready, and nothing less.
	NeedDone
)

// Edge says that a node comes after another one.
type Edge struct {
	// On is the node that comes first.
	On   int
	Need Need
	// Hard edges pass failure on: without On there is no point in going on. Soft
	// ones are order alone and open as soon as On is settled, however it ended.
	Hard bool
	// Why words the relation from the later node: "its namespace".
	Why string
}

// Node is an object, or a group that stands for many objects, so that m objects
// before n others cost m+n edges instead of m×n.
type Node struct {
	// Object is the index of the object in the list that was ordered, -1 for a group.
	Object int
	// Group names a group; empty for objects.
	Group string
	After []Edge
}

// Graph is the order of a run. Node i is object i; groups follow the objects.
// Nothing in it is a barrier: a node may start as soon as its own edges allow.
type Graph struct {
	Nodes []Node
	// Sequence lists the indexes of the objects in one order that keeps to the
	// graph. It is the same for the same input, and stays near the input's order.
	Sequence []int
	// Warnings tell of change rules that mean nothing in this run.
	Warnings []string
}

// Order finds out what has to wait for what: namespaces before what is in them,
// CustomResourceDefinitions before their objects, storage, configuration and
// access rights before workloads, webhook configurations after the workloads
// behind them and objects of a webhook's group after it. Deletions take the
// reverse way, after everything else. On top come the change groups and rules of
// the objects' kapp annotations and of the bindings in changes, which may be nil.
// The error is a *CycleError, or tells which annotation can't be read.
func Order(objects []*Object, changes *config.KappConfig) (Graph, error) {
	asked, err := changeOrderOf(changes, objects)
	if err != nil {
		return Graph{}, err
	}
	return orderBy(objects, orderRules(), asked)
}

// orderRule adds the edges that one consideration asks for. It sees either all
// objects that stay or all that are deleted, and speaks of both as if they were
// created: the side turns edges between deletions round.
type orderRule struct {
	name string
	add  func(*orderSide)
}

// orderRules lists every consideration. Each costs at most a few edges an object.
func orderRules() []orderRule {
	return []orderRule{
		{"namespaces", afterNamespace},
		{"definitions", afterDefinition},
		{"storage", afterStorage},
		{"configuration", afterConfiguration},
		{"access", afterAccess},
		{"references", afterReferences},
		{"backends", afterBackends},
		{"webhooks", afterWebhooks},
	}
}

func orderBy(objects []*Object, rules []orderRule, asked changeOrder) (Graph, error) {
	g := &Graph{Nodes: make([]Node, len(objects), len(objects)+64)}
	stay, leave := newOrderSide(g, false), newOrderSide(g, true)
	for i, o := range objects {
		g.Nodes[i].Object = i
		switch {
		case o.disputed: // nothing waits for it, but for its twin that is made
		case o.Leaves():
			leave.take(i, o)
		default:
			stay.take(i, o)
		}
	}
	for _, side := range []*orderSide{stay, leave} {
		for _, rule := range rules {
			rule.add(side)
		}
	}
	deletionsLast(g, stay, leave)
	addChangeOrder(g, asked)
	sequence, err := g.sort(func(i int) string { return g.name(i, objects) })
	if err != nil {
		return Graph{}, fmt.Errorf("order the objects: %w", err)
	}
	g.Sequence, g.Warnings = sequence, asked.warnings
	return *g, nil
}

// deletionsLast puts a gate between what is applied and what is deleted.
func deletionsLast(g *Graph, stay, leave *orderSide) {
	if len(stay.members) == 0 || len(leave.members) == 0 {
		return
	}
	gate := g.addGroup("everything that is applied")
	for _, i := range stay.members {
		g.Nodes[gate].After = append(g.Nodes[gate].After, Edge{On: i, Need: NeedDone, Why: "deletions come last"})
	}
	for _, i := range leave.members {
		g.Nodes[i].After = append(g.Nodes[i].After, Edge{On: gate, Need: NeedReady, Why: "deletions come last"})
	}
}

func (g *Graph) addGroup(name string) int {
	g.Nodes = append(g.Nodes, Node{Object: -1, Group: name})
	return len(g.Nodes) - 1
}

func (g *Graph) name(i int, objects []*Object) string {
	if at := g.Nodes[i].Object; at >= 0 {
		return objects[at].Ref.String()
	}
	return g.Nodes[i].Group
}

// orderSide is one half of a run: what stays or what is deleted.
type orderSide struct {
	graph *Graph
	// reversed turns every edge round and waits until the later object is gone.
	reversed bool
	members  []int
	objects  map[int]*Object
	byRef    map[object.Ref]int
	groups   map[string]int
}

func newOrderSide(g *Graph, reversed bool) *orderSide {
	return &orderSide{
		graph: g, reversed: reversed,
		objects: map[int]*Object{}, byRef: map[object.Ref]int{}, groups: map[string]int{},
	}
}

func (s *orderSide) take(i int, o *Object) {
	s.members = append(s.members, i)
	s.objects[i] = o
	s.byRef[o.Ref] = i
}

// body is what is known of an object: the built one, of a deletion the live one.
func (s *orderSide) body(i int) map[string]any {
	o := s.objects[i]
	if s.reversed {
		return o.Live
	}
	return o.Desired.Body
}

// link puts later after earlier.
func (s *orderSide) link(later int, e Edge) {
	if s.reversed {
		later, e.On = e.On, later
		e.Need = NeedReady
	}
	if later != e.On {
		s.graph.Nodes[later].After = append(s.graph.Nodes[later].After, e)
	}
}

// linkRef links to an object of this side, if there is one.
func (s *orderSide) linkRef(later int, ref object.Ref, e Edge) {
	if at, ok := s.byRef[ref]; ok {
		e.On = at
		s.link(later, e)
	}
}

// group returns the node of a group, made when first asked for.
func (s *orderSide) group(name string) int {
	at, ok := s.groups[name]
	if !ok {
		at = s.graph.addGroup(name)
		s.groups[name] = at
	}
	return at
}
