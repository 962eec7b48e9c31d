package schedule

import (
	"maps"
	"slices"
)

// Dump is the graph, in the shape that "packages scheduler dump" prints.
type Dump struct {
	Nodes map[string]NodeDump `json:"nodes"`
}

// NodeDump is one node.
type NodeDump struct {
	Version        string                    `json:"version"`
	Order          int                       `json:"order"`
	EffectiveOrder int                       `json:"effectiveOrder"`
	State          State                     `json:"state"`
	ScheduleReason string                    `json:"scheduleReason"`
	Decision       Decision                  `json:"decision"`
	Dependencies   map[string]DependencyDump `json:"dependencies"`
	// Subscriptions are modules that it depends on or asks about, Subscribers those
	// that do so with it; both sorted.
	Subscriptions []string `json:"subscriptions"`
	Subscribers   []string `json:"subscribers"`
}

// DependencyDump is an edge.
type DependencyDump struct {
	Constraint string `json:"constraint"`
	Optional   bool   `json:"optional"`
}

// Dump tells everything about all nodes.
func (s *Scheduler) Dump() Dump {
	all := Dump{Nodes: map[string]NodeDump{}}
	for name, n := range s.nodes {
		d := NodeDump{
			Version: n.Version, Order: n.Order, EffectiveOrder: n.effective, State: n.state, ScheduleReason: n.reason,
			Decision: n.decision, Dependencies: map[string]DependencyDump{}, Subscriptions: n.subscriptions(), Subscribers: []string{},
		}
		for _, e := range n.edges() {
			d.Dependencies[e.name] = DependencyDump{Constraint: e.wanted.String(), Optional: e.optional}
		}
		all.Nodes[name] = d
	}
	for _, name := range slices.Sorted(maps.Keys(s.nodes)) {
		for _, to := range s.nodes[name].subscriptions() {
			if d, ok := all.Nodes[to]; ok {
				d.Subscribers = append(d.Subscribers, name)
				all.Nodes[to] = d
			}
		}
	}
	return all
}

// subscriptions lists the modules whose changes matter to a node.
func (n *Node) subscriptions() []string {
	all := []string{}
	for _, e := range n.edges() {
		all = append(all, e.name)
	}
	all = append(all, n.gates()...)
	slices.Sort(all)
	return slices.Compact(all)
}
