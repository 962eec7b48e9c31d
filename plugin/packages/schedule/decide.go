package schedule

import (
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
)

// Verdict is what a rule says of a node.
type Verdict string

// The verdicts; the empty one is none.
const (
	Enable  Verdict = "enable"
	Disable Verdict = "disable"
	Forbid  Verdict = "forbid"
)

// Reasons of decisions.
const (
	ReasonBootstrap       = "RequirementsBootstrap"
	ReasonKubernetes      = "RequirementsKubernetes"
	ReasonDeckhouse       = "RequirementsDeckhouse"
	ReasonNotEnabled      = "DependencyNotEnabled"
	ReasonVersionMismatch = "DependencyVersionMismatch"
	ReasonAnyOf           = "AnyOfNotSatisfied"
	ReasonNoneOf          = "NoneOfViolated"
	ReasonModule          = "ModuleNotReady"
)

// Decision is whether a node may run.
type Decision struct {
	Kind Verdict `json:"kind"`
	// Reason is a word, Message says which requirement, what it wants and what there
	// is; both are empty for Enable.
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Enabled tells whether it may run.
func (d Decision) Enabled() bool { return d.Kind == Enable }

// Fold makes one decision of those of all rules: the first Forbid counts, else the last
// one that says anything.
func Fold(all ...Decision) Decision {
	var last Decision
	for _, d := range all {
		switch d.Kind {
		case Forbid:
			return d
		case Enable, Disable:
			last = d
		}
	}
	return last
}

// Decide holds the requirements of an application against a cluster and its enabled
// modules with their versions. It is what admission asks, too.
func Decide(r bundle.Requirements, f Facts, modules map[string]string) Decision {
	return Fold(append([]Decision{{Kind: Enable}, bootstrap(f)}, requirements(r, f, modules)...)...)
}

func bootstrap(f Facts) Decision {
	if f.Bootstrapped {
		return Decision{}
	}
	return Decision{Forbid, ReasonBootstrap, "cluster bootstrap: wanted it to be complete, found that it is not yet"}
}

// requirements asks each rule that is about package.yaml.
func requirements(r bundle.Requirements, f Facts, modules map[string]string) []Decision {
	facts := bundle.Facts{Kubernetes: f.Kubernetes, Deckhouse: f.Deckhouse, Modules: modules}
	rule := func(reason string, part bundle.Requirements) Decision { return unmet(reason, part.Unmet(facts)) }
	all := []Decision{
		rule(ReasonKubernetes, bundle.Requirements{Kubernetes: r.Kubernetes}),
		rule(ReasonDeckhouse, bundle.Requirements{Deckhouse: r.Deckhouse}),
	}
	for _, m := range r.Mandatory {
		if _, enabled := modules[m.Name]; !enabled {
			all = append(all, notEnabled(m))
			continue
		}
		all = append(all, rule(ReasonVersionMismatch, bundle.Requirements{Mandatory: []bundle.ModuleRequirement{m}}))
	}
	return append(
		all,
		rule(ReasonVersionMismatch, bundle.Requirements{Conditional: r.Conditional}),
		rule(ReasonAnyOf, bundle.Requirements{AnyOf: r.AnyOf}),
		rule(ReasonNoneOf, bundle.Requirements{NoneOf: r.NoneOf}),
	)
}

func notEnabled(m bundle.ModuleRequirement) Decision {
	message := fmt.Sprintf("dependency '%s' not enabled", m.Name)
	if !m.Constraint.IsZero() {
		message += fmt.Sprintf(" (wanted %s)", m.Constraint)
	}
	return Decision{Forbid, ReasonNotEnabled, message}
}

func unmet(reason string, all []bundle.Unmet) Decision {
	if len(all) == 0 {
		return Decision{}
	}
	return Decision{Forbid, reason, all[0].String()}
}
