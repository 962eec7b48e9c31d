package prune

import (
	"fmt"
	"slices"
	"strings"
)

// Annotations keeps objects that carry a value which says so. Helm and kapp
// leave such objects to the cluster for good, so they are forgotten.
type Annotations struct {
	// Values are the values that keep an object, by annotation. An annotation may
	// hold several, separated by commas; case and space around don't count.
	Values map[string][]string
}

// DefaultAnnotations are those of Helm and kapp.
func DefaultAnnotations() Annotations {
	return Annotations{Values: map[string][]string{
		"helm.sh/resource-policy":      {"keep"},
		"kapp.k14s.io/delete-strategy": {"orphan"},
	}}
}

// Name is "keep-annotation".
func (Annotations) Name() string { return "keep-annotation" }

// Keep looks for the annotations.
func (f Annotations) Keep(c Candidate) *Kept {
	annotations, _ := metadata(c)["annotations"].(map[string]any)
	for key, wanted := range f.Values {
		text, _ := annotations[key].(string)
		for _, value := range strings.Split(strings.ToLower(text), ",") {
			if value = strings.TrimSpace(value); slices.Contains(wanted, value) {
				return &Kept{Reason: fmt.Sprintf("its annotation %s: %s says so; it stays in the cluster and leaves the record", key, value), Forget: true}
			}
		}
	}
	return nil
}
