package plan

import "slices"

// addChangeOrder adds what kapp's groups and rules say to the graph of a run.
// Mandatory relations are added whatever comes of it: a circle is for the sort to
// report. Optional ones are added, the weightiest first, as long as they close
// none. A group costs one node before and one behind it, so that m objects after a
// group of n cost m+n edges.
func addChangeOrder(g *Graph, order changeOrder) {
	a := changeAdder{graph: g, members: order.members, gates: map[gate]int{}}
	var optional []relation
	for _, r := range order.relations {
		if r.optional {
			optional = append(optional, r)
			continue
		}
		a.add(r)
	}
	if !g.acyclic() {
		return
	}
	for len(optional) > 0 {
		n := 1
		for n < len(optional) && optional[n].weight == optional[0].weight {
			n++
		}
		a.addOptional(optional[:n])
		optional = optional[n:]
	}
}

// gate stands before or behind all members of a group.
type gate struct {
	group  changeGroup
	before bool
	hard   bool
}

type changeAdder struct {
	graph   *Graph
	members map[changeGroup][]int
	gates   map[gate]int
	// undo has the nodes that got an edge since the last mark, in order.
	undo []int
}

func (a *changeAdder) link(later int, e Edge) {
	if later == e.On {
		return
	}
	e.Need = NeedReady
	a.graph.Nodes[later].After = append(a.graph.Nodes[later].After, e)
	a.undo = append(a.undo, later)
}

// add relates an object to a group through the group's gate. An object that is in
// the group itself would stand on both sides of it, so it gets edges of its own.
func (a *changeAdder) add(r relation) {
	members := a.members[r.group]
	_, inside := slices.BinarySearch(members, r.object)
	switch {
	case len(members) == 0:
	case inside:
		for _, m := range members {
			a.direct(r, m)
		}
	case r.before:
		a.link(a.gate(r), Edge{On: r.object, Hard: !r.optional, Why: r.why})
	default:
		a.link(r.object, Edge{On: a.gate(r), Hard: !r.optional, Why: r.why})
	}
}

// direct relates an object to one member of the group.
func (a *changeAdder) direct(r relation, member int) {
	later, earlier := r.object, member
	if r.before {
		later, earlier = member, r.object
	}
	a.link(later, Edge{On: earlier, Hard: !r.optional, Why: r.why})
}

// gate returns the node before or behind a group, made when first asked for. There
// is one for mandatory and one for optional relations, because a failure goes
// through the first only.
func (a *changeAdder) gate(r relation) int {
	key := gate{group: r.group, before: r.before, hard: !r.optional}
	at, ok := a.gates[key]
	if ok {
		return at
	}
	name := "changes of group " + r.group.name
	if r.before {
		name = "what comes before group " + r.group.name
	}
	at = a.graph.addGroup(name)
	a.gates[key] = at
	for _, m := range a.members[r.group] {
		if r.before {
			a.link(m, Edge{On: at, Hard: key.hard, Why: name})
		} else {
			a.link(at, Edge{On: m, Hard: key.hard, Why: name})
		}
	}
	return at
}

// addOptional adds relations of one weight: all at once if that closes no circle,
// as it hardly ever does, else edge by edge.
func (a *changeAdder) addOptional(relations []relation) {
	gates := len(a.graph.Nodes)
	a.undo = nil
	for _, r := range relations {
		a.add(r)
	}
	if a.graph.acyclic() {
		return
	}
	for _, later := range slices.Backward(a.undo) {
		after := a.graph.Nodes[later].After
		a.graph.Nodes[later].After = after[:len(after)-1]
	}
	for key, at := range a.gates {
		if at >= gates {
			delete(a.gates, key) // its edges are gone
		}
	}
	for _, r := range relations {
		for _, m := range a.members[r.group] {
			later, earlier := r.object, m
			if r.before {
				later, earlier = m, r.object
			}
			if !a.graph.reaches(earlier, later) {
				a.direct(r, m)
			}
		}
	}
}

// acyclic reports whether every node can have its turn.
func (g *Graph) acyclic() bool {
	later, open := make([][]int, len(g.Nodes)), make([]int, len(g.Nodes))
	var free []int
	for i, n := range g.Nodes {
		for _, e := range n.After {
			later[e.On] = append(later[e.On], i)
		}
		if open[i] = len(n.After); open[i] == 0 {
			free = append(free, i)
		}
	}
	done := 0
	for ; len(free) > 0; done++ {
		i := free[len(free)-1]
		free = free[:len(free)-1]
		for _, next := range later[i] {
			if open[next]--; open[next] == 0 {
				free = append(free, next)
			}
		}
	}
	return done == len(g.Nodes)
}

// reaches reports whether one node waits for the other, through however many.
func (g *Graph) reaches(from, to int) bool {
	seen := make([]bool, len(g.Nodes))
	todo := []int{from}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if i == to {
			return true
		}
		if seen[i] {
			continue
		}
		seen[i] = true
		for _, e := range g.Nodes[i].After {
			todo = append(todo, e.On)
		}
	}
	return false
}
