package plan

import (
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// scalarEqual compares two values as the server reads them: quantities by
// value, but only where the schema says Quantity; everything else by type and
// value ("8080" is not 8080).
func scalarEqual(s *cluster.Schema, a, b any) bool {
	if object.Equal(a, b) {
		return true
	}
	return s.IsQuantity() && object.EqualQuantity(a, b)
}

// emptyish reports whether a value holds nothing but empty maps and lists and
// nulls, which built-in kinds don't tell from absence.
func emptyish(v any) bool {
	switch t := v.(type) {
	case nil:
		return true
	case map[string]any:
		for _, sub := range t {
			if !emptyish(sub) {
				return false
			}
		}
		return true
	case []any:
		return len(t) == 0
	default:
		return false
	}
}

// excluded reports whether a path is one of the excluded ones or lies in it.
func excluded(p fieldpath.Path, rules []fieldpath.Path) bool {
	for _, r := range rules {
		if len(p) >= len(r) && p[:len(r)].Equals(r) {
			return true
		}
	}
	return false
}

// serverOwnedRoot names the root fields that no plan compares between two
// answers of the server; metadata is cleaned before.
func serverOwnedRoot(k string) bool { return k == "status" }
