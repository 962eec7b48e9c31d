package inventory

import (
	"context"
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// Untouched finds the objects that nobody has written since the record saw them as
// wanted: their metadata shows it, so that a large record costs a few pages of
// metadata. Of what isn't among them nothing is known. The error is that of a context
// that has ended.
func Untouched(ctx context.Context, c Client, rec *state.Record) (map[object.Ref]bool, error) {
	best := map[state.Key]state.Entry{}
	var entries []state.Entry
	for _, e := range rec.Entries {
		// Of an object that is listed under two versions, the entry that counts.
		if found, _ := rec.Find(e.Key.Ref()); found.Key == e.Key && e.InputKey != "" {
			best[e.Key] = e
			entries = append(entries, e)
		}
	}
	kinds, _ := byKind(ctx, c, entries)
	live := map[state.Key]Found{}
	err := readKinds(ctx, kinds, func(inner context.Context, k *kind) map[state.Key]Found {
		if len(k.keys) <= fewObjects {
			return nil // read as they are, at once
		}
		found, _ := k.list(inner, c, true)
		return found
	}, live)
	if err != nil {
		return nil, fmt.Errorf("read the metadata of the recorded objects: %w", err)
	}
	out := map[object.Ref]bool{}
	for key, found := range live {
		if plan.Untouched(best[key], found.Object) {
			out[key.Ref()] = true
		}
	}
	return out, ctx.Err()
}
