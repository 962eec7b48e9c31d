package schedule

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
)

// EventKind says what is to be done about an application.
type EventKind string

// The kinds of events.
const (
	// Decided: the Decision is another than the one that was told before.
	Decided EventKind = "decided"
	// Run: configure, enable and apply it, then call Complete.
	Run EventKind = "schedule"
	// TakeAway: uninstall it and keep the Application.
	TakeAway EventKind = "disable"
)

// Event is something to be done about an application.
type Event struct {
	Kind EventKind
	Name string
	// Reason says in a word or two why an application is to run (again).
	Reason   string
	Decision Decision
}

// Scheduler holds the graph. It is a value for one goroutine at a time.
type Scheduler struct {
	nodes   map[string]*node
	facts   Facts
	running bool
}

// New makes a Scheduler that is paused.
func New() *Scheduler {
	root := &node{Node: Node{Kind: Root, Name: RootName}, state: Idle}
	return &Scheduler{nodes: map[string]*node{RootName: root}}
}

// Facts returns what is known of the cluster, and the enabled modules.
func (s *Scheduler) Facts() (Facts, map[string]string) { return s.facts, s.enabledModules() }

// SetFacts takes news of the cluster.
func (s *Scheduler) SetFacts(f Facts) []Event {
	s.facts = f
	s.nodes[RootName].Version = f.Deckhouse
	return s.evaluate()
}

// Resume begins to tell events.
func (s *Scheduler) Resume() []Event {
	s.running = true
	return s.evaluate()
}

// Pause holds events back.
func (s *Scheduler) Pause() { s.running = false }

// Put adds a node or replaces the one of that name. A *CycleError refuses it. The state
// of an application begins anew: it is scheduled again.
func (s *Scheduler) Put(n Node) ([]Event, error) {
	if err := s.Check(n); err != nil {
		return nil, err
	}
	s.nodes[n.Name] = &node{Node: n, state: Idle}
	return s.evaluate(), nil
}

// Check tells whether Put would refuse a node, and changes nothing.
func (s *Scheduler) Check(n Node) error {
	if old, ok := s.nodes[n.Name]; ok && old.Kind != n.Kind {
		return fmt.Errorf("schedule %s %s: there is a %s of that name", n.Kind, n.Name, old.Kind)
	}
	with := maps.Clone(s.nodes)
	with[n.Name] = &node{Node: n}
	if path := circle(with, n.Name, []string{n.Name}); path != nil {
		return &CycleError{Path: path}
	}
	return nil
}

// circle finds a way from the first of a path back to it.
func circle(nodes map[string]*node, at string, path []string) []string {
	n, ok := nodes[at]
	if !ok {
		return nil
	}
	for _, e := range n.edges() {
		switch {
		case e.name == path[0]:
			return append(slices.Clone(path), e.name)
		case slices.Contains(path, e.name):
			continue // another circle would have been refused before
		}
		if found := circle(nodes, e.name, append(slices.Clone(path), e.name)); found != nil {
			return found
		}
	}
	return nil
}

// SetModules replaces all modules. Those that would close a circle count as disabled, for
// that reason, and are the error; the others count.
func (s *Scheduler) SetModules(modules []Node) ([]Event, error) {
	for name, n := range s.nodes {
		if n.Kind == Module {
			delete(s.nodes, name)
		}
	}
	var refused []string
	for _, m := range slices.SortedFunc(slices.Values(modules), func(a, b Node) int { return cmp.Compare(a.Name, b.Name) }) {
		m.Kind = Module
		err := s.Check(m)
		var circle *CycleError
		if errors.As(err, &circle) {
			m.Disabled, m.Requirements = err.Error(), bundle.Requirements{}
		}
		if err != nil {
			refused = append(refused, err.Error())
		}
		if err != nil && circle == nil {
			continue
		}
		s.nodes[m.Name] = &node{Node: m, state: Idle}
	}
	events := s.evaluate()
	if len(refused) > 0 {
		return events, fmt.Errorf("modules: %s", strings.Join(refused, "; "))
	}
	return events, nil
}

// Remove forgets a node. It is no Disable: whoever removes it takes it away.
func (s *Scheduler) Remove(name string) []Event {
	if n, ok := s.nodes[name]; !ok || n.Kind == Root {
		return nil
	}
	delete(s.nodes, name)
	return s.evaluate()
}

// Complete makes a scheduled application active. For any other it means nothing.
func (s *Scheduler) Complete(name string) []Event {
	if n, ok := s.nodes[name]; ok && n.state == Scheduled {
		n.state = Active
		return s.evaluate()
	}
	return nil
}

// Again schedules an application that runs or has run once more. false: it is not
// scheduled now, and will run with what is known then.
func (s *Scheduler) Again(name, reason string) ([]Event, bool) {
	n, ok := s.nodes[name]
	if !ok || n.Kind != Application || n.state == Idle || !s.running {
		return nil, false
	}
	n.state, n.reason = Scheduled, reason
	return []Event{{Kind: Run, Name: name, Reason: reason}}, true
}

// sorted lists nodes by effective order, then by name.
func (s *Scheduler) sorted() []*node {
	return slices.SortedFunc(maps.Values(s.nodes), func(a, b *node) int {
		return cmp.Or(cmp.Compare(a.effective, b.effective), cmp.Compare(a.Name, b.Name))
	})
}

// enabledModules are those that are decided to be enabled.
func (s *Scheduler) enabledModules() map[string]string {
	all := map[string]string{}
	for _, n := range s.nodes {
		if n.Kind == Module && n.decision.Enabled() {
			all[n.Name] = n.Version
		}
	}
	return all
}
