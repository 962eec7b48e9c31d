package command

import (
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/build"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// keepsHidden tells that an entry knows values by keyed hashes only.
func keepsHidden(e state.Entry) bool {
	return e.Key.Group == "" && e.Key.Kind == "Secret" || len(e.Hidden) > 0
}

// hasHidden tells that a run has objects, built or recorded, of which values are known
// by keyed hashes only: without any of them nobody needs the key.
func hasHidden(results []build.Result, records map[string]*state.Record, hide func(body map[string]any) []object.MaskRule) bool {
	for _, rec := range records {
		if slices.ContainsFunc(rec.Entries, keepsHidden) {
			return true
		}
	}
	for _, r := range results {
		if slices.ContainsFunc(r.Objects, func(o object.Object) bool {
			ref := o.Ref()
			return ref.Group == "" && ref.Kind == "Secret" || hide != nil && len(hide(o.Body)) > 0
		}) {
			return true
		}
	}
	return false
}
