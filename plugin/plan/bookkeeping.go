package plan

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

var (
	crdKind = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
	hpaKind = schema.GroupKind{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}
)

// bookkeeping reports whether a path is our own label for members of the set:
// a missing one is repaired with the next write and is no difference.
func bookkeeping(p fieldpath.Path) bool {
	return len(p) == 3 && isField(p[0], "metadata") && isField(p[1], "labels") && isField(p[2], state.PartOfLabel)
}

func isField(e fieldpath.PathElement, name string) bool {
	return e.FieldName != nil && *e.FieldName == name
}

// covered reports whether a finding already stands at or above the path.
func covered(list []finding, p fieldpath.Path) bool {
	for _, f := range list {
		if len(f.path) <= len(p) && related(f.path, p) {
			return true
		}
	}
	return false
}
