package plan

import (
	"errors"
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Link is an edge that a caller adds to a graph.
type Link struct {
	// Later is the node that waits. Objects are named by their index, groups by
	// GroupNode.
	Later int
	Edge
}

// GroupNode is the node of the i-th group that is added to a graph.
func (g Graph) GroupNode(i int) int { return len(g.Nodes) + i }

// Linked adds groups and edges. Our own order of kinds gives way to them where it is
// order alone. The error is a *CycleError: then the graph is as it was.
func (g Graph) Linked(objects []*Object, groups []string, links []Link) (Graph, error) {
	out := Graph{Warnings: g.Warnings, Nodes: make([]Node, len(g.Nodes), len(g.Nodes)+len(groups))}
	for i, n := range g.Nodes {
		out.Nodes[i] = n
		out.Nodes[i].After = append([]Edge(nil), n.After...)
	}
	for _, name := range groups {
		out.addGroup(name)
	}
	for _, l := range links {
		if l.Later != l.On {
			out.Nodes[l.Later].After = append(out.Nodes[l.Later].After, l.Edge)
		}
	}
	if !out.acyclic() {
		out.giveWay()
	}
	sequence, err := out.sort(func(i int) string { return out.name(i, objects) })
	if err != nil {
		var circle *CycleError
		if errors.As(err, &circle) {
			return g, circle
		}
		return g, fmt.Errorf("order the objects: %w", err)
	}
	out.Sequence = sequence
	return out, nil
}

// PodNeeds lists what has to be there before the Pods of a workload can start, as far as
// its body says; nil for what is no workload.
func (o *Object) PodNeeds() []object.Ref {
	if !isWorkload(o.Ref) {
		return nil
	}
	var out []object.Ref
	for _, to := range podReferences(podSpec(o.Ref, o.Desired.Body)) {
		to.Namespace = o.Ref.Namespace
		out = append(out, to)
	}
	return out
}
