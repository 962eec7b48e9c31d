package plan

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

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
	// Excluded paths are judged by desired against last applied alone.
	Excluded []fieldpath.Path
}

// ManifestPolicy is the policy of diff, apply and state sync (design §5).
func ManifestPolicy() Policy {
	return Policy{
		FieldManager: "tazuna",
		Adopted:      adoptedByDefault,
		Excluded:     []fieldpath.Path{fieldpath.MakePathOrDie("status")},
	}
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
