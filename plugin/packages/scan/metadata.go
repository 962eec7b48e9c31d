package scan

import (
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schema"
)

// Metadata says of a version what catalogues and admission want to know. An error is
// one of its schemas: a version with broken ones can't be installed.
func Metadata(m *bundle.Metadata) (*api.PackageMetadata, *api.PackageSchemas, error) {
	schemas, err := schemasOf(m)
	if err != nil {
		return nil, nil, err
	}
	d := m.Definition
	told := &api.PackageMetadata{
		Description: maps.Clone(d.Descriptions), Category: d.Category, Stage: d.Stage,
		Requirements: requirementsOf(d.Requirements), Licensing: licensingOf(d.Editions),
		VersionCompatibilityRules: rulesOf(d),
	}
	if len(m.Changelog.Features)+len(m.Changelog.Fixes) > 0 {
		told.Changelog = &api.PackageChangelog{Features: m.Changelog.Features, Fixes: m.Changelog.Fixes}
	}
	if d.Disable.Confirmation || len(d.Disable.Messages) > 0 {
		told.DisableOptions = &api.PackageDisableOptions{Confirmation: d.Disable.Confirmation, Messages: d.Disable.Messages}
	}
	return told, schemas, nil
}

// MaxSchemas is how many bytes the schemas of a version may have: they are published in
// the status of its object, and a server takes objects of 1.5 MiB at most, in which each
// field is named once more.
const MaxSchemas = 512 << 10

func schemasOf(m *bundle.Metadata) (*api.PackageSchemas, error) {
	set, findings := schema.Load(m.SettingsSchema, m.ValuesSchema)
	if err := bundle.AsError(findings); err != nil {
		return nil, fmt.Errorf("schemas: %w", err)
	}
	told := &api.PackageSchemas{}
	var err error
	if told.SettingsSchema, err = published(set.Settings); err != nil {
		return nil, fmt.Errorf("settings schema: %w", err)
	}
	if told.ValuesSchema, err = published(set.Values); err != nil {
		return nil, fmt.Errorf("values schema: %w", err)
	}
	if size := sizeOf(told.SettingsSchema) + sizeOf(told.ValuesSchema); size > MaxSchemas {
		return nil, fmt.Errorf("schemas: wanted at most %d KiB as JSON, found %d KiB", MaxSchemas>>10, (size+1<<10-1)>>10)
	}
	return told, nil
}

func sizeOf(s *api.PackageSchema) int {
	if s == nil {
		return 0
	}
	return len(s.OpenAPIV3Schema.Raw)
}

func published(s *schema.Schema) (*api.PackageSchema, error) {
	if s == nil {
		return nil, nil //nolint:nilnil // a package need not have a schema
	}
	data, err := object.EncodeJSON(s.Published())
	if err != nil {
		return nil, err
	}
	return &api.PackageSchema{OpenAPIV3Schema: &runtime.RawExtension{Raw: data}}, nil
}

func requirementsOf(r bundle.Requirements) *api.PackageRequirements {
	told := &api.PackageRequirements{Kubernetes: constraintOf(r.Kubernetes), Deckhouse: constraintOf(r.Deckhouse)}
	if len(r.Mandatory)+len(r.Conditional)+len(r.AnyOf)+len(r.NoneOf) > 0 {
		told.Modules = &api.ModuleRequirements{
			Mandatory: modulesOf(r.Mandatory), Conditional: modulesOf(r.Conditional),
			AnyOf: groupsOf(r.AnyOf), NoneOf: groupsOf(r.NoneOf),
		}
	}
	if *told == (api.PackageRequirements{}) {
		return nil
	}
	return told
}

func constraintOf(c bundle.Constraint) *api.VersionConstraint {
	if c.IsZero() {
		return nil
	}
	return &api.VersionConstraint{Constraint: c.String()}
}

func modulesOf(all []bundle.ModuleRequirement) []api.ModuleRequirement {
	var told []api.ModuleRequirement
	for _, m := range all {
		told = append(told, api.ModuleRequirement{Name: m.Name, Constraint: m.Constraint.String()})
	}
	return told
}

func groupsOf(all []bundle.ModuleGroup) []api.ModuleGroup {
	var told []api.ModuleGroup
	for _, g := range all {
		told = append(told, api.ModuleGroup{Name: g.Name, Description: g.Description, Modules: modulesOf(g.Modules)})
	}
	return told
}

func licensingOf(editions map[string]bundle.Edition) *api.PackageLicensing {
	if len(editions) == 0 {
		return nil
	}
	told := &api.PackageLicensing{Editions: map[string]api.PackageEdition{}}
	for name, e := range editions {
		told.Editions[name] = api.PackageEdition{Available: e.Available, EnabledInBundles: e.EnabledInBundles}
	}
	return told
}

func rulesOf(d bundle.Definition) *api.VersionCompatibilityRules {
	told := &api.VersionCompatibilityRules{Upgrade: ruleOf(d.Upgrade), Downgrade: ruleOf(d.Downgrade)}
	if *told == (api.VersionCompatibilityRules{}) {
		return nil
	}
	return told
}

func ruleOf(r bundle.VersionRule) *api.VersionCompatibilityRule {
	told := api.VersionCompatibilityRule{
		From: r.From.String(), To: r.To.String(), MaxRollback: r.MaxRollback,
		AllowSkipPatches: r.AllowSkipPatches, AllowSkipMinor: r.AllowSkipMinor, AllowSkipMajor: r.AllowSkipMajor,
	}
	if told == (api.VersionCompatibilityRule{}) {
		return nil
	}
	return &told
}
