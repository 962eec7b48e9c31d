package debug

import (
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

// DefinitionOf is a package's definition in the shape of a dump.
func DefinitionOf(d bundle.Definition) report.Definition {
	shown := report.Definition{
		Name: d.Name, Version: d.Version, Stage: d.Stage,
		Requirements: report.Requirements{
			Kubernetes: d.Requirements.Kubernetes.String(), Deckhouse: d.Requirements.Deckhouse.String(),
			Modules: modulesOf(d.Requirements),
		},
	}
	for name, e := range d.Editions {
		if shown.Licensing == nil {
			shown.Licensing = map[string]report.Edition{}
		}
		shown.Licensing[name] = report.Edition{Available: e.Available, EnabledInBundles: e.EnabledInBundles}
	}
	if d.Disable.Confirmation || len(d.Disable.Messages) > 0 {
		shown.DisableOptions = &report.DisableOptions{Confirmation: d.Disable.Confirmation, Messages: d.Disable.Messages}
	}
	return shown
}

func modulesOf(r bundle.Requirements) *report.ModuleRequirements {
	if len(r.Mandatory)+len(r.Conditional)+len(r.AnyOf)+len(r.NoneOf) == 0 {
		return nil
	}
	return &report.ModuleRequirements{
		Mandatory: constraintsOf(r.Mandatory), Conditional: constraintsOf(r.Conditional),
		AnyOf: groupsOf(r.AnyOf), NoneOf: groupsOf(r.NoneOf),
	}
}

func constraintsOf(modules []bundle.ModuleRequirement) map[string]*string {
	if len(modules) == 0 {
		return nil
	}
	all := make(map[string]*string, len(modules))
	for _, m := range modules {
		all[m.Name] = nil
		if !m.Constraint.IsZero() {
			text := m.Constraint.String()
			all[m.Name] = &text
		}
	}
	return all
}

func groupsOf(groups []bundle.ModuleGroup) []report.ModuleGroup {
	var all []report.ModuleGroup
	for _, g := range groups {
		all = append(all, report.ModuleGroup{Name: g.Name, Members: constraintsOf(g.Modules)})
	}
	return all
}
