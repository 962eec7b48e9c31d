package plan

import (
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Stage says what stands around the objects of one manifest in a run.
type Stage struct {
	Manifest string
	// After names the manifests that have to be done before. Names that the run
	// doesn't have count as done.
	After []string
	// Before and Behind say that there is work to do before the first and behind
	// the last object: the groups that GateBefore and GateBehind name stand for it.
	// Namespaces and CustomResourceDefinitions come before the work, which may need
	// them, as Helm has it with those that a chart brings.
	Before, Behind bool
	// Deletion says that there is work to do before the first deletion: the group
	// that GateDeletion names stands for it. Work behind the last one has
	// GateDeleted, which is always there.
	Deletion bool
}

// GateBefore is the name of the group in front of a manifest's objects.
func GateBefore(manifest string) string {
	return "the hooks before manifest " + strconv.Quote(manifest)
}

// GateBehind is the name of the group behind a manifest's objects.
func GateBehind(manifest string) string { return "manifest " + strconv.Quote(manifest) }

// GateDeletion is the name of the group in front of a manifest's deletions.
func GateDeletion(manifest string) string {
	return "the hooks before the deletions of manifest " + strconv.Quote(manifest)
}

// GateDeleted is the name of the group behind a manifest's deletions.
func GateDeleted(manifest string) string {
	return "the deletions of manifest " + strconv.Quote(manifest)
}

// Staged puts the manifests of a graph in their order: an object starts when the
// manifests that its own depends on are done, and nothing is deleted before all
// are. Between deletions the order is reversed. Our own order of kinds gives way to it
// where it is order alone. It costs two edges an object at
// most. The error is a *CycleError.
func (g Graph) Staged(objects []*Object, stages []Stage) (Graph, error) {
	s := stager{graph: &g, start: map[string]int{}, before: map[string]int{}, behind: map[string]int{}, deletion: map[string]int{}, deleted: map[string]int{}}
	s.gates(stages)
	for i, o := range objects {
		s.object(i, o)
	}
	for _, stage := range stages {
		s.depend(stage)
	}
	s.deletionsBehind(objects)
	if !g.acyclic() {
		g.giveWay() // what is order alone yields to what the file says
	}
	sequence, err := g.sort(func(i int) string { return g.name(i, objects) })
	if err != nil {
		return Graph{}, fmt.Errorf("order the manifests: %w", err)
	}
	g.Sequence = sequence
	return g, nil
}

// stager adds the groups of manifests to a graph.
type stager struct {
	graph *Graph
	// start, before and behind are the nodes of the groups, deleted those that
	// stand for the deletions of a manifest.
	start, before, behind, deletion, deleted map[string]int
}

// gates makes the groups that something waits for.
func (s *stager) gates(stages []Stage) {
	known := map[string]bool{}
	for _, stage := range stages {
		known[stage.Manifest] = true
	}
	for _, stage := range stages {
		if len(stage.After) > 0 {
			s.start[stage.Manifest] = s.graph.addGroup("the start of manifest " + strconv.Quote(stage.Manifest))
		}
		if stage.Before {
			s.addBefore(stage.Manifest)
		}
		if stage.Behind {
			s.addBehind(stage.Manifest)
		}
		if stage.Deletion {
			s.deletion[stage.Manifest] = s.graph.addGroup(GateDeletion(stage.Manifest))
		}
		for _, name := range stage.After {
			if known[name] {
				s.addBehind(name)
			}
		}
	}
}

func (s *stager) addBehind(manifest string) {
	if _, ok := s.behind[manifest]; ok {
		return
	}
	s.behind[manifest] = s.graph.addGroup(GateBehind(manifest))
	for _, earlier := range []map[string]int{s.start, s.before} {
		if node, ok := earlier[manifest]; ok {
			s.link(s.behind[manifest], node, "its start")
		}
	}
}

func (s *stager) addBefore(manifest string) {
	s.before[manifest] = s.graph.addGroup(GateBefore(manifest))
	if start, ok := s.start[manifest]; ok {
		s.link(s.before[manifest], start, "its start")
	}
}

func (s *stager) link(later, earlier int, why string) {
	s.graph.Nodes[later].After = append(s.graph.Nodes[later].After, Edge{On: earlier, Need: NeedReady, Hard: true, Why: why})
}

// object puts an object between the groups of its manifest.
func (s *stager) object(i int, o *Object) {
	if o.Op == OpDelete {
		if _, ok := s.deleted[o.Manifest]; !ok {
			s.deleted[o.Manifest] = s.graph.addGroup(GateDeleted(o.Manifest))
		}
		if hooks, ok := s.deletion[o.Manifest]; ok {
			s.link(i, hooks, "the hooks before it")
		}
		group := s.deleted[o.Manifest]
		s.graph.Nodes[group].After = append(s.graph.Nodes[group].After, Edge{On: i, Need: NeedReady, Why: "its deletions"})
		return
	}
	if start, ok := s.start[o.Manifest]; ok {
		s.link(i, start, "the start of its manifest")
	}
	if before, ok := s.before[o.Manifest]; ok {
		if first(o) {
			s.link(before, i, "what hooks may need")
		} else {
			s.link(i, before, "the hooks of its manifest")
		}
	}
	if behind, ok := s.behind[o.Manifest]; ok {
		s.link(behind, i, "its objects")
	}
}

// first tells what comes before the hooks of a chart.
func first(o *Object) bool {
	gk := o.Ref.GroupKind()
	return gk == schema.GroupKind{Kind: "Namespace"} ||
		gk == schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
}

// depend puts a manifest behind those that it depends on.
func (s *stager) depend(stage Stage) {
	for _, name := range stage.After {
		if behind, ok := s.behind[name]; ok {
			s.link(s.start[stage.Manifest], behind, "its dependsOn")
		}
		later, ok := s.deleted[name]
		earlier, deletes := s.deleted[stage.Manifest]
		if ok && deletes {
			s.deletedFirst(earlier, later)
		}
		if hooks, ok := s.deletion[name]; ok && deletes {
			s.link(hooks, earlier, "what depends on its manifest goes first")
		}
	}
}

// deletedFirst lets the members of one group of deletions wait for another one.
func (s *stager) deletedFirst(earlier, later int) {
	for _, e := range s.graph.Nodes[later].After {
		s.graph.Nodes[e.On].After = append(s.graph.Nodes[e.On].After, Edge{On: earlier, Need: NeedReady, Why: "what depends on its manifest goes first"})
	}
}

// deletionsBehind lets deletions wait for the work behind all manifests.
func (s *stager) deletionsBehind(objects []*Object) {
	if len(s.behind) == 0 || len(s.deleted) == 0 {
		return
	}
	all := s.graph.addGroup("all manifests")
	for _, behind := range s.behind {
		s.link(all, behind, "all manifests")
	}
	for i, o := range objects {
		if o.Op == OpDelete {
			s.link(i, all, "deletions come last")
		}
	}
}
