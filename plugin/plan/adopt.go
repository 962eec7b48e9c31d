package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// takeover is the JSON patch that moves fields of tools which applied the same
// files before us from their entries of managedFields to ours; nil where there is
// nothing to move. It holds for exactly this version of the object.
//
// Moved are the fields that moves names: those of the files, those that leave with
// this apply, and the tools' own bookkeeping. Whatever else they own stays theirs.
// Taking it all, as kubectl's own upgrade does, would make the apply that follows
// drop values that the files never named.
func takeover(live map[string]any, apiVersion string, own ownership, moves func(fieldpath.Path) bool) ([]byte, error) {
	ours, taken := entryOf(own, apiVersion), fieldpath.NewSet()
	var rest []metav1.ManagedFieldsEntry
	for _, e := range own.entries {
		switch {
		case own.ours(e.author):
			continue
		case !own.adopted(e.author):
			rest = append(rest, e.raw)
			continue
		}
		moved := fieldsWhere(e.fields, moves)
		taken = taken.Union(moved)
		if left := e.fields.Difference(moved); moved.Empty() {
			rest = append(rest, e.raw)
		} else if !left.Empty() {
			rest = append(rest, withFields(e.raw, left))
		}
		if !moved.Empty() && ours.Time.Before(e.raw.Time) {
			ours.Time = e.raw.Time
		}
	}
	if taken.Empty() && !own.renamed() {
		return nil, nil
	}
	return managersPatch(live, append(rest, withFields(ours, own.owned().Union(taken))))
}

// entryOf is our entry of managedFields, or the one to make.
func entryOf(own ownership, apiVersion string) metav1.ManagedFieldsEntry {
	for _, e := range own.entries {
		if own.ours(e.author) {
			return e.raw
		}
	}
	return metav1.ManagedFieldsEntry{
		Manager: own.manager, Operation: metav1.ManagedFieldsOperationApply,
		APIVersion: apiVersion, FieldsType: "FieldsV1", Time: &metav1.Time{Time: time.Unix(0, 0)},
	}
}

func withFields(e metav1.ManagedFieldsEntry, set *fieldpath.Set) metav1.ManagedFieldsEntry {
	raw, err := set.ToJSON()
	if err != nil {
		return e // a set that was read from JSON can be written
	}
	e.FieldsV1 = &metav1.FieldsV1{}
	e.FieldsV1.SetRawBytes(raw)
	return e
}

func fieldsWhere(set *fieldpath.Set, keep func(fieldpath.Path) bool) *fieldpath.Set {
	out := fieldpath.NewSet()
	for p := range set.All() {
		if keep(p) {
			out.Insert(p.Copy())
		}
	}
	return out
}

// managersPatch replaces managedFields. The resourceVersion makes it safe to
// repeat; it is not a "test", whose failure the server answers with 422 and no
// reason: a conflict says what happened.
func managersPatch(live map[string]any, entries []metav1.ManagedFieldsEntry) ([]byte, error) {
	meta, _ := live["metadata"].(map[string]any)
	return json.Marshal([]map[string]any{
		{"op": "replace", "path": "/metadata/resourceVersion", "value": meta["resourceVersion"]},
		{"op": "replace", "path": "/metadata/managedFields", "value": entries},
	})
}

// movedBy tells which fields an adoption moves: those that are sent, those that
// the plan removes, and bookkeeping.
func movedBy(send, live map[string]any, shown []Difference) func(fieldpath.Path) bool {
	return func(p fieldpath.Path) bool {
		if lookup(send, p).ok || isHistory(p) && lookup(live, p).ok {
			return true
		}
		return slices.ContainsFunc(shown, func(d Difference) bool {
			return d.Verdict == VerdictRemove && len(d.at) <= len(p) && related(d.at, p)
		})
	}
}

// holdsHistory reports whether such bookkeeping is ours already: a run that ended
// between the two requests of an adoption leaves it behind.
func holdsHistory(live, send map[string]any, ours *fieldpath.Set) bool {
	found := false
	ours.Iterate(func(p fieldpath.Path) { // can't be left early
		found = found || isHistory(p) && lookup(live, p).ok && !lookup(send, p).ok
	})
	return found
}

// takesOver reports whether an adopted manager owns what the files name or what
// leaves with this apply, or its bookkeeping is still there.
func takesOver(o *Object, e evidence) bool {
	for _, f := range e.cmp.findings {
		if !f.d.ok && !f.guessed && e.ownership.movedAt(f) {
			return true
		}
	}
	moves := movedBy(o.Send, o.Live, nil)
	for _, entry := range e.ownership.entries {
		if !e.ownership.ours(entry.author) && e.ownership.adopted(entry.author) && !fieldsWhere(entry.fields, moves).Empty() {
			return true
		}
	}
	return holdsHistory(o.Live, o.Send, e.ownership.owned())
}

// adopt plans the takeover of an object that is as wanted or will be.
func (o *Object) adopt(e evidence) error {
	if !e.adopts || (o.Op != OpNone && o.Op != OpUpdate) {
		return nil
	}
	var err error
	o.Adopt, err = takeover(o.Live, o.Mapping.GVK.GroupVersion().String(), e.ownership, movedBy(o.Send, o.Live, o.Differences))
	if err != nil {
		return fmt.Errorf("%s: take over fields: %w", o.Ref, err)
	}
	if o.Op == OpNone {
		o.Op = OpAdopt
	}
	return nil
}

// afterAdoption takes out of a dry-run's answer what the apply will drop once
// the fields of adopted managers are ours: the server can't know that yet.
func afterAdoption(result map[string]any, e evidence) (body map[string]any, dropped bool) {
	for _, f := range e.cmp.findings {
		if f.d.ok || f.excluded || judge(f, e.ownership) != VerdictRemove || !e.ownership.movedAt(f) {
			continue
		}
		result, dropped = without(result, f.path), true
	}
	return result, dropped
}

// withoutGuesses drops findings of which managedFields alone said that an adopted
// tool had set them, where the server has the same value without them: its
// defaults are recorded in the name of whoever created the object.
func withoutGuesses(e evidence) []finding {
	var server []finding
	if e.result != nil {
		server = compareExact(e.result, e.live, e.schema, e.custom).findings
	}
	return slices.DeleteFunc(slices.Clone(e.cmp.findings), func(f finding) bool {
		return f.guessed && !relatedToAny(f, server)
	})
}

// mergePatch is the JSON merge patch that makes one body of another.
func mergePatch(from, to map[string]any) map[string]any {
	out := map[string]any{}
	for _, k := range union(from, to) {
		have, want := get(from, k), get(to, k)
		switch {
		case !want.ok:
			out[k] = nil
		case have.ok && object.Equal(have.v, want.v):
		default:
			fm, fok := have.v.(map[string]any)
			tm, tok := want.v.(map[string]any)
			if fok && tok {
				out[k] = mergePatch(fm, tm)
			} else {
				out[k] = want.v
			}
		}
	}
	return out
}
