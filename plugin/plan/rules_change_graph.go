package plan

import "slices"

// addChangeOrder adds what kapp's groups and rules say to the graph of a run.
// Mandatory relations are added whatever comes of it: our own order gives way to
// them where it is order alone, and a circle that is left is for the sort to report.
// Optional ones are added, the weightiest first, as long as they close
// none. A group costs one node before and one behind it, so that m objects after a
// group of n cost m+n edges.
func addChangeOrder(g *Graph, order changeOrder) {
	a := changeAdder{graph: g, members: order.members, gates: map[gate]int{}, insiders: map[insider]int{}}
	var optional []relation
	for _, r := range order.relations {
		if r.optional {
			optional = append(optional, r)
			continue
		}
		a.add(r)
	}
	if !g.acyclic() && !g.giveWay() {
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
	// insiders counts the relations of objects to their own group.
	insiders map[insider]int
	// undo has the edges since the last mark, in order.
	undo []addedEdge
}

// addedEdge is the last edge that a node got. member tells one between a gate and a
// member of its group from one between a gate and what the rule is about.
type addedEdge struct {
	later, on int
	member    bool
}

func (a *changeAdder) link(later int, e Edge, member bool) {
	if later == e.On {
		return
	}
	e.Need = NeedReady
	a.graph.Nodes[later].After = append(a.graph.Nodes[later].After, e)
	a.undo = append(a.undo, addedEdge{later: later, on: e.On, member: member})
}

// add relates an object to a group through the group's gate. An object that is in
// the group itself would stand on both sides of it, so it gets edges of its own.
func (a *changeAdder) add(r relation) {
	members := a.members[r.group]
	_, inside := slices.BinarySearch(members, r.object)
	switch {
	case len(members) == 0:
	case inside:
		a.addInside(r, members)
	case r.before:
		a.link(a.gate(r), Edge{On: r.object, Hard: !r.optional, Why: r.why}, false)
	default:
		a.link(r.object, Edge{On: a.gate(r), Hard: !r.optional, Why: r.why}, false)
	}
}

// addInside relates an object to the others of its own group. Two that want to come
// after all others of their group wait for each other, so from the second on there is
// a circle anyway: no more edges are spent on that.
func (a *changeAdder) addInside(r relation, members []int) {
	key := insider{gate: gate{group: r.group, before: r.before, hard: !r.optional}, weight: r.weight}
	if a.insiders[key]++; a.insiders[key] > 2 && len(members) > mostTrials/10 {
		return
	}
	for _, m := range members {
		a.direct(r, m)
	}
}

// insider names the relations of objects to their own group.
type insider struct {
	gate
	weight int
}

// direct relates an object to one member of the group.
func (a *changeAdder) direct(r relation, member int) {
	later, earlier := r.object, member
	if r.before {
		later, earlier = member, r.object
	}
	a.link(later, Edge{On: earlier, Hard: !r.optional, Why: r.why}, false)
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
			a.link(m, Edge{On: at, Hard: key.hard, Why: name}, true)
		} else {
			a.link(at, Edge{On: m, Hard: key.hard, Why: name}, true)
		}
	}
	return at
}

// mostTrials bounds how many edges are tried one by one; each costs a walk through
// the graph.
const mostTrials = 1000

// addOptional adds relations of one weight: all at once if that closes no circle,
// as it hardly ever does, else edge by edge. Where that are too many, those that lie
// on circles are left out.
func (a *changeAdder) addOptional(relations []relation) {
	gates := len(a.graph.Nodes)
	a.undo = nil
	trials := 0
	for _, r := range relations {
		a.add(r)
		trials += len(a.members[r.group])
	}
	switch {
	case a.graph.acyclic():
	case trials > mostTrials:
		a.leaveOut(true)
		if !a.graph.acyclic() {
			a.leaveOut(false)
		}
	default:
		a.takeBack(gates)
		a.tryEach(relations)
	}
}

// leaveOut takes back the last relations where both ends lie on circles, at first
// only between gates and their members: then the rest of a group keeps its place.
func (a *changeAdder) leaveOut(membersOnly bool) {
	circles := a.graph.circles()
	for _, edge := range slices.Backward(a.undo) {
		if circles[edge.later] && circles[edge.on] && (edge.member || !membersOnly) {
			node := &a.graph.Nodes[edge.later]
			at := slices.IndexFunc(node.After, func(e Edge) bool { return e.On == edge.on && !e.Hard })
			if at >= 0 {
				node.After = slices.Delete(node.After, at, at+1)
			}
		}
	}
}

// takeBack takes all of the last relations back. gates is how many nodes there were
// before them.
func (a *changeAdder) takeBack(gates int) {
	for _, edge := range slices.Backward(a.undo) {
		after := a.graph.Nodes[edge.later].After
		a.graph.Nodes[edge.later].After = after[:len(after)-1]
	}
	for key, at := range a.gates {
		if at >= gates {
			delete(a.gates, key) // its edges are gone
		}
	}
}

// tryEach adds each edge that closes no circle.
func (a *changeAdder) tryEach(relations []relation) {
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

// giveWay takes edges of our own order out that close circles with what the user
// says. Groups give way first: an object that has to come late then leaves the group
// that others wait for, and the others keep waiting for the rest of it. It reports
// whether no circle is left.
func (g *Graph) giveWay() bool {
	for _, groupsOnly := range []bool{true, false} {
		circles := g.circles()
		for i := range g.Nodes {
			node := &g.Nodes[i]
			if !circles[i] || groupsOnly && node.Object >= 0 {
				continue
			}
			node.After = slices.DeleteFunc(node.After, func(e Edge) bool { return !e.Hard && circles[e.On] })
		}
		if g.acyclic() {
			return true
		}
	}
	return false
}

// circles marks the nodes that lie on circles, or between two of them: what is left
// when those that can have their turn are taken away from either end.
func (g *Graph) circles() []bool {
	later, open, waited := make([][]int, len(g.Nodes)), make([]int, len(g.Nodes)), make([]int, len(g.Nodes))
	for i, n := range g.Nodes {
		open[i] = len(n.After)
		for _, e := range n.After {
			later[e.On] = append(later[e.On], i)
		}
	}
	left := make([]bool, len(g.Nodes))
	for i := range left {
		left[i] = true
	}
	peel(left, open, func(i int) []int { return later[i] })
	for i := range g.Nodes {
		for _, next := range later[i] {
			if left[next] {
				waited[i]++
			}
		}
	}
	peel(left, waited, func(i int) []int {
		var out []int
		for _, e := range g.Nodes[i].After {
			out = append(out, e.On)
		}
		return out
	})
	return left
}

// peel takes nodes away that nothing holds, until none is left of them.
func peel(left []bool, holds []int, next func(int) []int) {
	var free []int
	for i := range left {
		if left[i] && holds[i] == 0 {
			free = append(free, i)
		}
	}
	for len(free) > 0 {
		i := free[len(free)-1]
		free = free[:len(free)-1]
		left[i] = false
		for _, n := range next(i) {
			if holds[n]--; holds[n] == 0 && left[n] {
				free = append(free, n)
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
