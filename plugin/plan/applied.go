package plan

import (
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// lastAppliedAnnotation is where client-side kubectl apply keeps its body.
const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"

// applied finds what was applied last, nil when there is nothing but the set of
// owned fields.
func applied(want prepared, o object.Object, entry state.Entry, recorded bool, live map[string]any, h object.Hasher) (body map[string]any, basis Basis) {
	if recorded && entry.ContentHash != "" {
		last := asked(entry.LastApplied())
		if same, err := h.Matches(o.Body, entry.ContentHash); err == nil && same {
			return withStatusOf(want.desired, last), BasisUnchanged
		}
		if last != nil {
			return reveal(h, last, want.desired, comparable(live)), BasisRecord
		}
	}
	if recorded {
		return nil, BasisFields
	}
	if body, ok := annotated(live); ok {
		return body, BasisAnnotation
	}
	return nil, BasisFields
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

// annotated reads what client-side kubectl apply left on the object.
func annotated(live map[string]any) (map[string]any, bool) {
	meta, _ := live["metadata"].(map[string]any)
	annotations, _ := meta["annotations"].(map[string]any)
	text, ok := annotations[lastAppliedAnnotation].(string)
	if !ok {
		return nil, false
	}
	body, err := object.DecodeJSON([]byte(text))
	if err != nil {
		return nil, false
	}
	return object.DropNulls(comparable(asked(body)), nil), true
}

// reveal replaces the keyed hashes that a record holds instead of secret values
// by the desired or live value with that hash, so that values can be compared;
// a hash that fits neither stays, and equals nothing.
func reveal(h object.Hasher, a, desired, live map[string]any) map[string]any {
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

// ownedFindings lists what our last apply left in the cluster and the files no
// longer name, for objects without a last applied body.
func ownedFindings(desired, live map[string]any, own ownership) []finding {
	var out []finding
	for p := range own.owned().Leaves().All() {
		if len(p) == 0 {
			continue
		}
		l := lookup(live, p)
		if l.ok && !lookup(desired, p).ok && !covered(out, p) {
			out = append(out, finding{path: p.Copy(), l: l})
		}
	}
	return out
}
