package schedule

import (
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
)

// Kind says what a node is.
type Kind string

// The kinds of nodes.
const (
	Root        Kind = "root"
	Module      Kind = "module"
	Application Kind = "application"
)

const (
	// RootName is the node of the platform itself.
	RootName = "global"
	// ApplicationOrder is the order of applications: after the modules that the
	// platform needs to function.
	ApplicationOrder = 999
)

// Node is a module or an application as it is declared.
type Node struct {
	Kind Kind
	Name string
	// Version is vMAJOR.MINOR.PATCH; a module without one meets no constraint.
	Version string
	Order   int
	// Requirements are those of its package.yaml; only modules can be required.
	Requirements bundle.Requirements
	// Disabled says why a module is not enabled; "": it is.
	Disabled string
}

// Facts are what is known of the cluster.
type Facts struct {
	// Kubernetes and Deckhouse are versions; "": not known, so that every constraint on
	// it is unmet.
	Kubernetes, Deckhouse string
	// Bootstrapped: the cluster is up. Until then no application is scheduled.
	Bootstrapped bool
}

// State is how far a node has come.
type State string

// The states.
const (
	// Idle nodes are not wanted, or wait.
	Idle State = "idle"
	// Scheduled nodes are being run.
	Scheduled State = "scheduled"
	// Active nodes have been run.
	Active State = "active"
)

// node is a Node with what was made of it.
type node struct {
	Node
	decision  Decision
	effective int
	state     State
	reason    string // of the last Schedule
	// told is the decision that events told last; nil: none did.
	told *Decision
	// seen are the versions of its modules when it was scheduled.
	seen string
}

// edge is a dependency that orders nodes.
type edge struct {
	name     string
	optional bool
	wanted   bundle.Constraint
}

// edges lists the dependencies of a node that are part of the graph.
func (n *Node) edges() []edge {
	var all []edge
	for _, m := range n.Requirements.Mandatory {
		all = append(all, edge{m.Name, false, m.Constraint})
	}
	for _, m := range n.Requirements.Conditional {
		all = append(all, edge{m.Name, true, m.Constraint})
	}
	return all
}

// gates lists the modules that only decide.
func (n *Node) gates() []string {
	var all []string
	for _, groups := range [][]bundle.ModuleGroup{n.Requirements.AnyOf, n.Requirements.NoneOf} {
		for _, g := range groups {
			for _, m := range g.Modules {
				all = append(all, m.Name)
			}
		}
	}
	return all
}

// CycleError is a node that would depend on itself.
type CycleError struct {
	// Path begins and ends with the same name.
	Path []string
}

// Error shows the path.
func (e *CycleError) Error() string {
	return "requirements form a circle: " + strings.Join(e.Path, " → ")
}
