package plan

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply/prune"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
)

// Policy holds whatever may be refused, or differs between manifests and
// packages. There is one engine and there are two instances of this value.
type Policy struct {
	// FieldManager is the manager of our server-side applies.
	FieldManager string
	// ForceConflicts takes fields from other managers instead of refusing.
	ForceConflicts bool
	// Recreate replaces objects whose update the server refuses, but for kinds
	// that hold data or other objects.
	Recreate bool
	// RecreateRuns does so for what runs once and is done, Jobs and bare Pods.
	RecreateRuns bool
	// Prune deletes what left the files; otherwise it is listed as left over.
	Prune bool
	// PruneProtected lets prune delete Namespaces, CRDs, PVs and PVCs.
	PruneProtected bool
	// DropKappLabels takes the labels of kapp out of selectors, Pod templates and
	// claim templates, where they are kept otherwise.
	DropKappLabels bool
	// Adopted tells which managers' fields count as ours, because they are
	// tools that applied the same files before us.
	Adopted func(Author) bool
	// AdoptApplied adds the server-side applies of kubectl and Helm to them.
	AdoptApplied bool
	// Rules are those of kapp's configuration, defaults and the user's; nil for none.
	Rules *config.KappConfig
	// Guards keep objects that left the files from being deleted, in the place of
	// prune.DefaultFilters; nil for those.
	Guards []prune.Filter
	// Strategies reads what the annotations of an object ask of a run, in the place of
	// kapp's and ours; nil for those. An error is one of the object.
	Strategies func(body map[string]any) (Strategy, error)
	// Excluded paths are judged by desired against last applied alone.
	Excluded []fieldpath.Path
}

// ManifestPolicy is the policy of diff, apply and state sync (docs/concepts.md).
func ManifestPolicy() Policy {
	return Policy{
		FieldManager: "tazuna",
		Adopted:      adoptedByDefault,
		Excluded:     []fieldpath.Path{fieldpath.MakePathOrDie("status")},
	}
}

// PackagePolicy is the policy of application packages: an upgrade that is
// due makes every object as the templates have it, whoever changed it since; what left
// them goes, whatever its kind. What keeps an object, and what its annotations ask for,
// the caller adds.
func PackagePolicy() Policy {
	return Policy{
		FieldManager:   "tazuna-packages",
		ForceConflicts: true,
		RecreateRuns:   true,
		Prune:          true,
		PruneProtected: true,
		Adopted:        adoptedByPackages,
		Excluded:       []fieldpath.Path{fieldpath.MakePathOrDie("status")},
	}
}

// adoptedByPackages adds what releases were applied with before us, and what people
// changed by hand: both count as the release's own.
func adoptedByPackages(a Author) bool {
	if adoptedByDefault(a) || a.Subresource != "" {
		return a.Subresource == ""
	}
	return a.Manager == "kubectl-edit" || a.Manager == "helm" && a.Operation == string(metav1.ManagedFieldsOperationApply)
}

// strategyOf reads what the annotations of an object ask of a run.
func (p Policy) strategyOf(body map[string]any) (Strategy, error) {
	if p.Strategies != nil {
		return p.Strategies(body)
	}
	return strategyOf(body)
}

// adopts reports whether a manager's fields count as ours.
func (p Policy) adopts(a Author) bool {
	if p.Adopted != nil && p.Adopted(a) {
		return true
	}
	return p.AdoptApplied && a.Operation == string(metav1.ManagedFieldsOperationApply) && a.Subresource == "" &&
		(a.Manager == "kubectl" || a.Manager == "helm")
}

// adoptedByDefault: tools that wrote the same files with Update requests
// before us. Their fields are taken over without being called a conflict.
func adoptedByDefault(a Author) bool {
	if a.Operation != string(metav1.ManagedFieldsOperationUpdate) || a.Subresource != "" {
		return false
	}
	switch a.Manager {
	case "kubectl-client-side-apply", "kubectl-create", "kapp", "helm", "tazuna":
		return true
	default:
		return false
	}
}
