package prune

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Candidate is an object about to be deleted.
type Candidate struct {
	Ref object.Ref
	UID types.UID
	// Live is the object as it was seen last; its metadata is enough.
	Live map[string]any
}

// Kept says why an object is not deleted.
type Kept struct {
	// Filter is the name of the filter that decided.
	Filter string
	// Reason is a sentence about the object, without its name.
	Reason string
	// Forget means that the object is no longer ours: its entry leaves the record.
	// Otherwise it stays listed as left over.
	Forget bool
	// Refused means that the deletion was wanted and the user can allow it, so a
	// run that ends with it is not complete.
	Refused bool
}

// Filter is one reason to keep objects.
type Filter interface {
	// Name identifies the filter in results.
	Name() string
	// Keep returns nil for an object that may be deleted.
	Keep(c Candidate) *Kept
}

// DefaultFilters are the guards of manifests, in the order of asking. protected
// lets Namespaces, CustomResourceDefinitions and volumes be deleted.
func DefaultFilters(protected bool) []Filter {
	filters := []Filter{DefaultAnnotations(), Controlled{}, SystemNamespaces{}}
	if !protected {
		filters = append(filters, ProtectedKinds{Kinds: DefaultProtectedKinds()})
	}
	return filters
}

// First asks the filters in order and returns the first answer that keeps the
// object, with the filter's name; nil when it may be deleted.
func First(filters []Filter, c Candidate) *Kept {
	for _, f := range filters {
		if kept := f.Keep(c); kept != nil {
			kept.Filter = f.Name()
			return kept
		}
	}
	return nil
}

func metadata(c Candidate) map[string]any {
	meta, _ := c.Live["metadata"].(map[string]any)
	return meta
}
