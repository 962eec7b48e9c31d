package report

import (
	"maps"
	"slices"
)

// Scheduler is the graph of modules and applications, as "packages scheduler dump"
// prints it. The shape is Deckhouse's; package schedule makes it.
type Scheduler struct {
	Nodes map[string]Node `json:"nodes"`
}

// Names lists the nodes, for -o name.
func (s *Scheduler) Names() []string { return slices.Sorted(maps.Keys(s.Nodes)) }

// Node is a module or an application.
type Node struct {
	Version        string `json:"version"`
	Order          int    `json:"order"`
	EffectiveOrder int    `json:"effectiveOrder"`
	// State is idle, scheduled or active.
	State          string                `json:"state"`
	ScheduleReason string                `json:"scheduleReason"`
	Decision       Decision              `json:"decision"`
	Dependencies   map[string]Dependency `json:"dependencies"`
	Subscriptions  []string              `json:"subscriptions"`
	Subscribers    []string              `json:"subscribers"`
}

// Decision says whether a node may run: enable, disable or forbid, and why.
type Decision struct {
	Kind    string `json:"kind"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Dependency is a module that a node needs.
type Dependency struct {
	Constraint string `json:"constraint"`
	Optional   bool   `json:"optional"`
}
