package plan

import (
	"fmt"
	"slices"
	"strings"
)

// untracked is the note about an object that is there although its manifest's
// record doesn't list it: it is taken over, and nobody should learn that from
// the record only.
func untracked(w *wanted, own ownership) []string {
	if !w.tracked || w.recorded {
		return nil
	}
	var managers []string
	for _, e := range own.entries {
		if !own.ours(e.author) && own.adopted(e.author) {
			managers = append(managers, e.author.Manager)
		}
	}
	note := fmt.Sprintf("exists and is not tracked yet: it becomes part of manifest %s", w.out.Manifest)
	if len(managers) > 0 {
		slices.Sort(managers)
		note += ", with the fields of " + strings.Join(slices.Compact(managers), ", ")
	}
	return []string{note}
}
