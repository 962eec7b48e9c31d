package inventory

import (
	"encoding/base64"
	"encoding/json"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// Wanted makes of a record what a plan is made of: each object as it was applied
// last. blind are the entries of which that isn't known. The values of Secrets are
// known by their hashes only, and so are those that a rule masked at the last apply:
// live ones that fit stand for them, the others are words that fit nothing.
func Wanted(rec *state.Record, live map[state.Key]Found, h object.Hasher) (wanted []object.Object, blind []state.Entry) {
	seen := map[object.Ref]bool{}
	for _, e := range rec.Entries {
		ref := e.Key.Ref()
		if seen[ref] {
			continue // the same object under another version
		}
		seen[ref] = true
		best, _ := rec.Find(ref)
		body := best.LastApplied()
		if body == nil || best.ContentHash == "" {
			blind = append(blind, best)
			continue
		}
		body = hiddenRevealed(best, revealed(body, live[e.Key], h), live[e.Key], h)
		wanted = append(wanted, object.Object{Body: body, Origin: object.Origin{File: "the record of manifest " + rec.Manifest}})
	}
	return wanted, blind
}

// hiddenRevealed puts live values in the place of hashes of values that a rule masked.
func hiddenRevealed(e state.Entry, body map[string]any, f Found, h object.Hasher) map[string]any {
	rules := object.HidePaths(e.Key.Ref(), e.Hidden)
	if len(rules) == 0 {
		return body
	}
	var have map[string]any
	if f.Object != nil {
		have = f.Object.Object
	}
	out, _ := otherThan(h.Reveal(body, rules, have), have).(map[string]any)
	return out
}

// otherThan puts another value than the live one, of its kind, in the place of each
// hash that fits no live value: the server must be able to read it.
func otherThan(value, live any) any {
	switch v := value.(type) {
	case map[string]any:
		have, _ := live.(map[string]any)
		for key, item := range v {
			v[key] = otherThan(item, have[key])
		}
	case []any:
		have, _ := live.([]any)
		for i, item := range v {
			if i < len(have) {
				v[i] = otherThan(item, have[i])
			} else {
				v[i] = otherThan(item, nil)
			}
		}
	case string:
		if object.IsKeyed(v) {
			return another(live)
		}
	}
	return value
}

func another(live any) any {
	switch v := live.(type) {
	case bool:
		return !v
	case int64:
		return v + 1
	case json.Number, float64:
		if object.Equal(v, int64(0)) {
			return int64(1)
		}
		return int64(0)
	default:
		return "another value"
	}
}

// revealed puts live values in the place of hashes that fit them.
func revealed(body map[string]any, f Found, h object.Hasher) map[string]any {
	if body["kind"] != "Secret" || body["apiVersion"] != "v1" {
		return body
	}
	var have, hashed map[string]any
	if f.Object != nil {
		have, _ = f.Object.Object["data"].(map[string]any)
		if keyed, err := h.Keyed(f.Object.Object); err == nil {
			hashed, _ = keyed["data"].(map[string]any)
		}
	}
	out := object.Object{Body: body}.DeepCopy().Body
	data := map[string]any{}
	for _, field := range []string{"data", "stringData"} {
		values, _ := out[field].(map[string]any)
		for k, v := range values {
			if hashed[k] == v && v != nil {
				data[k] = have[k]
			} else {
				data[k] = base64.StdEncoding.EncodeToString([]byte("another value"))
			}
		}
	}
	delete(out, "stringData")
	if len(data) > 0 {
		out["data"] = data
	}
	return out
}

// Words of state drift; the original tool's.
const (
	Drifted = "live-drifted"
	Gone    = "live-missing"
)

// DriftOf tells how a planned object differs from what was applied last; empty if
// it doesn't. That it may not be written, or belongs to nobody, is no drift.
func DriftOf(o plan.ObjectReport) string {
	switch {
	case o.Op == plan.OpCreate || o.Op == plan.OpExists:
		return Gone
	case o.Op == plan.OpNone || o.Op == plan.OpAdopt:
		return ""
	case len(o.Differences) == 0 && o.Op != plan.OpReplace && o.Op != plan.OpBlocked:
		return ""
	}
	return Drifted
}

// LiveHash is the content hash of a live object, by the procedure of the hashes in a
// record: all that the server and others put into it counts, but for status and the
// server's metadata. Values of Secrets enter it keyed, and so do those that the record
// or hide (which may be nil) masks; empty where there are some and the key isn't known,
// or the object is no JSON.
func LiveHash(e state.Entry, live map[string]any, h object.Hasher, hide func(body map[string]any) []object.MaskRule) string {
	if live == nil {
		return ""
	}
	h.Hide = func(body map[string]any) []object.MaskRule {
		rules := object.HidePaths(e.Key.Ref(), e.Hidden)
		if hide != nil {
			rules = append(rules, hide(body)...)
		}
		return rules
	}
	sum, err := h.Content(live)
	if err != nil {
		return "" // there is nothing to print that could be compared
	}
	return sum
}
