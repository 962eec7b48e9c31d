package plan

import (
	"context"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// lastAppliedAnnotation is where client-side kubectl apply keeps its body.
const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"

// kappOriginal is where kapp keeps its body.
const kappOriginal = "kapp.k14s.io/original"

// applied finds what was applied last, nil when there is nothing but the set of
// owned fields.
func applied(want prepared, o *Object, entry state.Entry, recorded bool, h object.Hasher) (body map[string]any, basis Basis) {
	live := o.Live
	if recorded && entry.ContentHash != "" {
		last := asked(entry.LastApplied())
		if same, err := o.hasContent(h, entry.ContentHash); err == nil && same {
			return withStatusOf(want.desired, last), BasisUnchanged
		}
		if last != nil {
			return reveal(h, entry, last, want.desired, comparable(live)), BasisRecord
		}
	}
	if recorded {
		return nil, BasisFields
	}
	if body, ok := annotated(live, kappOriginal); ok {
		return body, BasisKapp
	}
	if body, ok := annotated(live, lastAppliedAnnotation); ok {
		return body, BasisAnnotation
	}
	return nil, BasisFields
}

// appliedByHelm finds what the Helm release of an object applied last. Where that
// can't be read, managedFields have to do, and the object says so.
func (p Planner) appliedByHelm(ctx context.Context, w *wanted) (map[string]any, Basis) {
	body, err := w.releases.applied(ctx, p.Cluster, w.out.Ref, w.out.Live)
	if err != nil {
		w.out.Notes = append(w.out.Notes, err.Error())
	}
	if body == nil {
		return nil, BasisFields
	}
	return body, BasisHelm
}

// withStatusOf gives a body the status of another one: the content hash, by
// which two bodies are called the same, leaves the status out.
func withStatusOf(body, from map[string]any) map[string]any {
	if from == nil || object.Equal(body["status"], from["status"]) {
		return body
	}
	out := withoutStatus(body)
	showStatus(out, from)
	return out
}

// asked returns a body without a status that nobody means to apply, by the same
// rule as for the files: what was not asked can't have left the files.
func asked(body map[string]any) map[string]any {
	if body == nil {
		return nil
	}
	out := copyMap(body)
	dropStatus(object.Object{Body: body}, out)
	return out
}

// annotated reads what kapp or client-side kubectl apply left on the object, in
// one of their annotations.
func annotated(live map[string]any, annotation string) (map[string]any, bool) {
	text := textAt(live, "metadata", "annotations", annotation)
	if text == "" {
		return nil, false
	}
	body, err := object.DecodeJSON([]byte(text))
	if err != nil {
		return nil, false
	}
	return object.DropNulls(comparable(asked(body)), nil), true
}

// reveal replaces the keyed hashes that an entry holds instead of secret values
// by the desired or live value with that hash, so that values can be compared;
// a hash that fits neither stays, and equals nothing.
func reveal(h object.Hasher, entry state.Entry, a, desired, live map[string]any) map[string]any {
	if rules := object.HidePaths(entry.Key.Ref(), entry.Hidden); len(rules) > 0 {
		a = h.Reveal(a, rules, desired, live)
	}
	if !isSecret(a) {
		return comparable(a)
	}
	known := map[string]any{}
	for _, field := range []string{"data", "stringData"} {
		values, _ := a[field].(map[string]any)
		for k, v := range values {
			known[k] = revealValue(h, k, v, desired, live)
		}
	}
	out := copyMap(object.StripServerFields(a))
	delete(out, "stringData")
	out["data"] = known
	return out
}

func revealValue(h object.Hasher, key string, hashed any, candidates ...map[string]any) any {
	for _, c := range candidates {
		keyed, err := h.Keyed(c)
		if err != nil {
			continue
		}
		if have := lookupData(keyed, key); have.ok && have.v == hashed {
			return lookupData(c, key).v
		}
	}
	return hashed
}

func lookupData(body map[string]any, key string) value {
	data, _ := body["data"].(map[string]any)
	return get(data, key)
}

func isSecret(body map[string]any) bool {
	return body["kind"] == "Secret" && body["apiVersion"] == "v1"
}

// ownedFindings lists what our last apply, or a tool that we take over from, left
// in the cluster and the files no longer name, for objects without a last applied
// body. Elements of keyed lists are listed as a whole.
func ownedFindings(desired, live map[string]any, own ownership) []finding {
	var out []finding
	ours, all := own.owned(), own.wanted()
	for p := range all.Leaves().All() {
		if len(p) == 0 || lookup(desired, p).ok {
			continue
		}
		p = goneElement(desired, all, p).Copy()
		if l := lookup(live, p); l.ok && !covered(out, p) {
			out = append(out, finding{path: p, l: l, guessed: !has(ours, p)})
		}
	}
	return out
}

// goneElement is the outermost element of a keyed list on the way to a path that
// the files don't have; the path itself where there is none.
func goneElement(desired map[string]any, owned *fieldpath.Set, p fieldpath.Path) fieldpath.Path {
	for i := range p {
		if at := p[:i+1]; isItem(at) && owned.Has(at) && !lookup(desired, at).ok {
			return at
		}
	}
	return p
}
