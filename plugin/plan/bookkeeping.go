package plan

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

var (
	crdKind = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
	hpaKind = schema.GroupKind{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}
)

// covered reports whether a finding already stands at or above the path.
func covered(list []finding, p fieldpath.Path) bool {
	for _, f := range list {
		if len(f.path) <= len(p) && related(f.path, p) {
			return true
		}
	}
	return false
}
