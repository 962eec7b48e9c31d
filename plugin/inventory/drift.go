package inventory

import (
	"encoding/base64"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// Wanted makes of a record what a plan is made of: each object as it was applied
// last. blind are the entries of which that isn't known. The values of Secrets are
// known by their hashes only: live ones that fit stand for them, the others are
// words that fit nothing.
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
		if h.Key != nil || body["kind"] == "Secret" {
			body = revealed(body, live[e.Key], h)
		}
		wanted = append(wanted, object.Object{Body: body, Origin: object.Origin{File: "the record of manifest " + rec.Manifest}})
	}
	return wanted, blind
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
