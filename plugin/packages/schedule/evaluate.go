package schedule

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Reasons for which an application is scheduled.
const (
	reasonRequirementsMet = "RequirementsMet"
	reasonDependency      = "DependencyChanged"
)

// evaluate decides about all nodes anew and tells what follows.
func (s *Scheduler) evaluate() []Event {
	s.decideModules()
	modules := s.enabledModules()
	for _, n := range s.nodes {
		if n.Kind == Application {
			n.decision = s.explained(n, Decide(n.Requirements, s.facts, modules))
		}
		n.effective = s.effective(n, nil)
	}
	s.settleModules()
	if !s.running {
		return nil
	}
	var events []Event
	for _, n := range s.sorted() {
		if n.Kind == Application {
			events = append(events, s.settle(n)...)
		}
	}
	return events
}

// explained adds why the module that isn't enabled isn't, where that is known.
func (s *Scheduler) explained(n *node, d Decision) Decision {
	if d.Reason != ReasonNotEnabled {
		return d
	}
	for _, m := range n.Requirements.Mandatory { // in the order of Decide, which names the first
		module, ok := s.nodes[m.Name]
		if ok && module.Kind == Module && module.decision.Enabled() {
			continue
		}
		if ok && module.Kind == Module && module.decision.Message != "" {
			d.Message += ": " + module.decision.Message
		}
		return d
	}
	return d
}

// decideModules decides about modules, each after those that it depends on.
func (s *Scheduler) decideModules() {
	root := s.nodes[RootName]
	root.decision = Fold(Decision{Kind: Enable}, bootstrap(s.facts))
	root.state = Idle
	if root.decision.Enabled() {
		root.state = Active
	}
	decided := map[string]bool{}
	stated := map[string]string{} // gates ask what modules say, so that they need no order
	for _, n := range s.nodes {
		if n.Kind == Module && n.Disabled == "" {
			stated[n.Name] = n.Version
		}
	}
	var decide func(n *node)
	decide = func(n *node) {
		if decided[n.Name] {
			return
		}
		decided[n.Name] = true
		seen := maps.Clone(stated)
		for _, e := range n.edges() {
			if d, ok := s.nodes[e.name]; ok && d.Kind == Module {
				decide(d)
				if !d.decision.Enabled() {
					delete(seen, e.name)
				}
			}
		}
		own := Decision{Kind: Enable}
		if n.Disabled != "" {
			own = Decision{Disable, ReasonModule, n.Disabled}
		}
		n.decision = s.explained(n, Fold(append([]Decision{own}, requirements(n.Requirements, s.facts, seen)...)...))
	}
	for _, n := range s.nodes {
		if n.Kind == Module {
			decide(n)
		}
	}
}

// effective is the order of a node, raised to that of what it depends on.
func (s *Scheduler) effective(n *node, above []string) int {
	order := n.Order
	for _, e := range n.edges() {
		d, ok := s.nodes[e.name]
		if ok && d.Kind == Module && !slices.Contains(above, e.name) {
			order = max(order, s.effective(d, append(above, n.Name)))
		}
	}
	return order
}

// settleModules makes enabled modules active, each after those that it depends on:
// nothing here runs them.
func (s *Scheduler) settleModules() {
	for _, n := range s.sorted() {
		if n.Kind == Module {
			n.state = Idle
		}
	}
	for changed := true; changed; {
		changed = false
		for _, n := range s.nodes {
			if n.Kind == Module && n.state == Idle && n.decision.Enabled() && s.dependenciesActive(n) {
				n.state, changed = Active, true
			}
		}
	}
}

// dependenciesActive tells whether all that a node is ordered behind is there. A
// conditional module that isn't enabled is nothing to wait for.
func (s *Scheduler) dependenciesActive(n *node) bool {
	for _, e := range n.edges() {
		d, ok := s.nodes[e.name]
		if (!ok || d.Kind != Module || !d.decision.Enabled()) && e.optional {
			continue
		}
		if !ok || d.state != Active {
			return false
		}
	}
	return true
}

// mayRun tells whether an enabled application may be scheduled now.
func (s *Scheduler) mayRun(n *node) bool {
	if !n.decision.Enabled() || !s.dependenciesActive(n) {
		return false
	}
	for _, m := range s.nodes {
		if m.Kind == Module && m.decision.Enabled() && m.effective < n.effective && m.state != Active {
			return false
		}
	}
	return true
}

// settle moves an application on, and tells what is to be done about it.
func (s *Scheduler) settle(n *node) []Event {
	var events []Event
	first := n.told == nil
	if first || *n.told != n.decision {
		told := n.decision
		n.told = &told
		events = append(events, Event{Kind: Decided, Name: n.Name, Decision: told})
	}
	switch {
	case !n.decision.Enabled():
		if n.state != Idle || first {
			events = append(events, Event{Kind: TakeAway, Name: n.Name, Reason: n.decision.Reason, Decision: n.decision})
		}
		n.state, n.reason = Idle, ""
	case n.state == Idle && s.mayRun(n):
		events = append(events, s.schedule(n, reasonRequirementsMet))
	case n.state != Idle && n.seen != s.versions(n):
		events = append(events, s.schedule(n, reasonDependency))
	}
	return events
}

func (s *Scheduler) schedule(n *node, reason string) Event {
	n.state, n.reason, n.seen = Scheduled, reason, s.versions(n)
	return Event{Kind: Run, Name: n.Name, Reason: reason, Decision: n.decision}
}

// versions is what an application sees of its modules: another one runs it again.
func (s *Scheduler) versions(n *node) string {
	var text strings.Builder
	for _, e := range n.edges() {
		if d, ok := s.nodes[e.name]; ok && d.Kind == Module && d.decision.Enabled() {
			fmt.Fprintf(&text, "%s=%s\n", e.name, d.Version)
		}
	}
	return text.String()
}
