package release

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/nelm"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// order is the order of one stage.
type order struct {
	graph plan.Graph
	// groups are the names of the nodes that the rules added, in the graph from first
	// on; external are the objects that some of them wait for.
	first    int
	groups   []string
	external map[string]nelm.External
	warnings []string
}

// orderer collects what the rules add to the engine's own order.
type orderer struct {
	order
	plan       *plan.Plan
	rules      map[object.Ref]nelm.Rules
	answerable bool
	links      []plan.Link
}

// orderOf orders the objects of a stage: by weight, by what they depend on, then as the
// engine orders kinds. A dependency that can't be kept is a warning; the order never
// fails by it.
func orderOf(p *plan.Plan, rules map[object.Ref]nelm.Rules, answerable bool) (order, error) {
	base, err := plan.Order(p.Objects, nil)
	if err != nil {
		return order{}, err
	}
	r := &orderer{plan: p, rules: rules, answerable: answerable}
	r.graph, r.first, r.external = base, len(base.Nodes), map[string]nelm.External{}
	r.byWeight()
	r.externals()
	sure := len(r.links)
	r.dependencies()
	r.deletions()
	graph, err := base.Linked(p.Objects, r.groups, r.links)
	var circle *plan.CycleError
	if errors.As(err, &circle) {
		r.warnings = append(r.warnings, "the dependencies of the objects on each other are not kept, since "+circle.Error())
		graph, err = base.Linked(p.Objects, r.groups, r.links[:sure])
	}
	r.graph = graph
	return r.order, err
}

// group adds a node that stands for something and returns it.
func (r *orderer) group(name string) int {
	r.groups = append(r.groups, name)
	return r.first + len(r.groups) - 1
}

func (r *orderer) link(later int, e plan.Edge) {
	r.links = append(r.links, plan.Link{Later: later, Edge: e})
}

// behind is the edge to an object that has to be done before what comes next. Of one
// that is as wanted nobody waits for anything more, unless the run answers for all.
func (r *orderer) behind(i int, why string) plan.Edge {
	o := r.plan.Objects[i]
	e := plan.Edge{On: i, Need: plan.NeedDone, Hard: true, Why: why}
	if !o.Op.Writes() && !r.answerable {
		e.Need, e.Hard = plan.NeedApplied, false
	}
	if r.rules[o.Ref].FailMode != nelm.FailAtOnce {
		e.Hard = false
	}
	return e
}

// byWeight puts a gate between each weight and the next one.
func (r *orderer) byWeight() {
	byWeight := map[int][]int{}
	for i, o := range r.plan.Objects {
		if !o.Leaves() {
			w := r.rules[o.Ref].Weight
			byWeight[w] = append(byWeight[w], i)
		}
	}
	weights := make([]int, 0, len(byWeight))
	for w := range byWeight {
		weights = append(weights, w)
	}
	slices.Sort(weights)
	for k := 0; k+1 < len(weights); k++ {
		gate := r.group("weight " + strconv.Itoa(weights[k]))
		if k > 0 {
			r.link(gate, plan.Edge{On: gate - 1, Need: plan.NeedReady, Hard: true, Why: "lower weights"})
		}
		for _, i := range byWeight[weights[k]] {
			r.link(gate, r.behind(i, "its weight is lower"))
		}
		for _, i := range byWeight[weights[k+1]] {
			r.link(i, plan.Edge{On: gate, Need: plan.NeedReady, Hard: true, Why: "lower weights come first"})
		}
	}
}

// externals puts one node for each foreign object in front of all that need it.
func (r *orderer) externals() {
	nodes := map[nelm.External]int{}
	for i, o := range r.plan.Objects {
		for _, e := range r.rules[o.Ref].External {
			e.ID = ""
			node, ok := nodes[e]
			if !ok {
				name := "external object " + e.String()
				node = r.group(name)
				nodes[e], r.external[name] = node, e
			}
			r.link(i, plan.Edge{On: node, Need: plan.NeedReady, Hard: true, Why: "an object that it depends on"})
		}
	}
}

// dependencies puts objects behind those that they name. What comes later by its weight
// can't come first.
func (r *orderer) dependencies() {
	for i, o := range r.plan.Objects {
		for _, d := range r.rules[o.Ref].DeployAfter {
			found := false
			for j, other := range r.plan.Objects {
				if i == j || other.Leaves() || !d.Matches(gvkOf(other), other.Ref.Namespace, other.Ref.Name) {
					continue
				}
				found = true
				if r.rules[other.Ref].Weight > r.rules[o.Ref].Weight {
					r.warn(o, "deploy-dependency-%s on %s has no effect: that one comes later by its weight", d.ID, other.Ref)
					continue
				}
				e := plan.Edge{On: j, Need: plan.NeedApplied, Hard: r.rules[other.Ref].FailMode == nelm.FailAtOnce, Why: "deploy-dependency-" + d.ID}
				if d.Ready {
					e.Need = plan.NeedDone
				}
				r.link(i, e)
			}
			if !found {
				r.warn(o, "deploy-dependency-%s has no effect: no other object of the same stage is meant", d.ID)
			}
		}
	}
}

// deletions puts those behind that are to go after others.
func (r *orderer) deletions() {
	for i, o := range r.plan.Objects {
		if !o.Leaves() {
			continue
		}
		rules, err := nelm.Read(object.Object{Body: o.Live})
		if err != nil {
			continue // of what is live nothing has to be right
		}
		for _, d := range rules.DeleteAfter {
			for j, other := range r.plan.Objects {
				if i != j && other.Leaves() && d.Matches(gvkOf(other), other.Ref.Namespace, other.Ref.Name) {
					r.link(i, plan.Edge{On: j, Need: plan.NeedReady, Why: "delete-dependency-" + d.ID})
				}
			}
		}
	}
}

func (r *orderer) warn(o *plan.Object, format string, args ...any) {
	r.warnings = append(r.warnings, o.Ref.String()+": "+fmt.Sprintf(format, args...))
}

// sorted gives the objects of the stage as they are deployed, for reports.
func (o order) sorted(objects []*plan.Object) []int {
	at := make([]int, len(objects))
	for place, i := range o.graph.Sequence {
		at[i] = place
	}
	out := make([]int, len(objects))
	for i := range out {
		out[i] = i
	}
	slices.SortFunc(out, func(a, b int) int { return cmp.Compare(at[a], at[b]) })
	return out
}
