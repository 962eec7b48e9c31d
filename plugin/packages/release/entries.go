package release

import (
	"context"
	"fmt"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/nelm"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// known is an object that a revision lists.
type known struct {
	state.Entry
	// protected says why it stays when nothing wants it any more; empty if it goes.
	protected string
}

// entries are what the revisions say of the objects of the release. Of the deployed one
// it is known what was applied last; later ones may or may not have got to an object.
func (s *Service) entries(ctx context.Context, id identity, revisions []*Revision) ([]known, []string, error) {
	found := map[object.Ref]known{}
	var order []object.Ref
	var warnings []string
	for _, r := range revisions {
		if r.Unread != "" {
			warnings = append(warnings, fmt.Sprintf("revision %d can't be understood in full, what is left out stays in the cluster: %s", r.Number, strings.TrimSuffix(r.Unread, "; ")))
		}
		for _, o := range r.Objects {
			o, err := s.place(ctx, id, o)
			if err != nil {
				return nil, nil, err
			}
			marked(o.Body, id)
			e, warning := entryOf(id, o, r.Deployed())
			if warning != "" {
				warnings = append(warnings, warning)
				continue
			}
			before, twice := found[o.Ref()]
			if !twice {
				order = append(order, o.Ref())
				e.Order = len(order)
			} else {
				e.Order = before.Order
				if same, err := (object.Hasher{}).Matches(o.Body, before.ContentHash); err == nil && same {
					continue // what was applied last is what it should have become
				}
			}
			found[o.Ref()] = e
		}
	}
	out := make([]known, 0, len(order))
	for _, ref := range order {
		out = append(out, found[ref])
	}
	return out, warnings, nil
}

// entryOf is what one revision says of an object. One whose annotations
// can't be read any more is left alone.
func entryOf(id identity, o object.Object, confirmed bool) (known, string) {
	rules, err := nelm.Read(o)
	if err != nil {
		return known{}, fmt.Sprintf("an earlier revision has an object whose annotations can't be read, so that it is left alone: %v", err)
	}
	e := known{Entry: state.Entry{Key: state.KeyOf(id.name, o)}, protected: rules.Protected()}
	if confirmed {
		if hash, err := (object.Hasher{}).Plain(o.Body); err == nil {
			e.ContentHash, e.Body = hash, object.FoldStringData(o.Body)
		}
	}
	return e, ""
}

// entriesFor selects what a plan has to know: the entries of the objects that it wants,
// and of those that nothing wants any more, unless they stay. elsewhere are the objects
// of other stages.
func entriesFor(all []known, wanted, elsewhere map[object.Ref]bool) []state.Entry {
	var out []state.Entry
	for _, e := range all {
		ref := e.Key.Ref()
		if wanted[ref] || e.protected == "" && !elsewhere[ref] {
			out = append(out, e.Entry)
		}
	}
	return out
}

// entry is what a plan is told of an object.
type entry = state.Entry
