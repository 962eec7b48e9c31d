package admission

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
)

type rawExtension = runtime.RawExtension

// requirementsOf reads the requirements that a version publishes. A range that can't
// be read was refused when the package was built; one that is here all the same allows
// nothing, since nobody knows what it means.
func requirementsOf(v *api.ApplicationPackageVersion) bundle.Requirements {
	var r bundle.Requirements
	if v.Status.PackageMetadata == nil || v.Status.PackageMetadata.Requirements == nil {
		return r
	}
	told := v.Status.PackageMetadata.Requirements
	if told.Kubernetes != nil {
		r.Kubernetes = constraintOf(told.Kubernetes.Constraint)
	}
	if told.Deckhouse != nil {
		r.Deckhouse = constraintOf(told.Deckhouse.Constraint)
	}
	if m := told.Modules; m != nil {
		r.Mandatory, r.Conditional = modulesOf(m.Mandatory), modulesOf(m.Conditional)
		r.AnyOf, r.NoneOf = groupsOf(m.AnyOf), groupsOf(m.NoneOf)
	}
	return r
}

func constraintOf(text string) bundle.Constraint {
	if text == "" {
		return bundle.Constraint{}
	}
	c, err := bundle.ParseConstraint(text)
	if err != nil {
		none, _ := bundle.ParseConstraint("< 0.0.0-0") // parses: it is a constant
		return none
	}
	return c
}

func modulesOf(all []api.ModuleRequirement) []bundle.ModuleRequirement {
	var modules []bundle.ModuleRequirement
	for _, m := range all {
		modules = append(modules, bundle.ModuleRequirement{Name: m.Name, Constraint: constraintOf(m.Constraint)})
	}
	return modules
}

func groupsOf(all []api.ModuleGroup) []bundle.ModuleGroup {
	var groups []bundle.ModuleGroup
	for _, g := range all {
		groups = append(groups, bundle.ModuleGroup{Name: g.Name, Description: g.Description, Modules: modulesOf(g.Modules)})
	}
	return groups
}
