package prune

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ProtectedKinds keeps kinds whose deletion takes more with it than the object:
// everything in a namespace, all objects of a definition, the data of a volume.
type ProtectedKinds struct{ Kinds []schema.GroupKind }

// DefaultProtectedKinds are those that need --prune-protected.
func DefaultProtectedKinds() []schema.GroupKind {
	return []schema.GroupKind{
		{Kind: "Namespace"},
		{Kind: "PersistentVolume"},
		{Kind: "PersistentVolumeClaim"},
		{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"},
	}
}

// Name is "protected-kind".
func (ProtectedKinds) Name() string { return "protected-kind" }

// Keep compares the kind.
func (f ProtectedKinds) Keep(c Candidate) *Kept {
	if !slices.Contains(f.Kinds, c.Ref.GroupKind()) {
		return nil
	}
	return &Kept{Reason: loss(c.Ref.Kind) + "; allow it with --prune-protected", Refused: true}
}

// loss says what goes with an object of the kind.
func loss(kind string) string {
	switch kind {
	case "Namespace":
		return "deleting a Namespace deletes everything in it, also what is not ours"
	case "CustomResourceDefinition":
		return "deleting a CustomResourceDefinition deletes every object of its kind in the cluster"
	case "PersistentVolume", "PersistentVolumeClaim":
		return "deleting a " + kind + " may delete its data"
	default:
		return "objects of kind " + kind + " are protected"
	}
}
