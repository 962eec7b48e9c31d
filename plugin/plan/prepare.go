package plan

import (
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// prepared is a built object made ready for comparing and for sending.
type prepared struct {
	// desired is compared; it includes a status that is meant.
	desired map[string]any
	// send is the body of the apply, status what follows to the subresource.
	send, status map[string]any
	notes        []string
}

// prepare drops what only a server may say and brings spellings that mean the
// same to one form. Nulls go where the schema doesn't allow them.
func prepare(o object.Object, m cluster.Mapping, s *cluster.Schema, label string) prepared {
	body := comparable(o.Body)
	if object.BuiltIn(o.GVK().Group) {
		body = object.DropNulls(body, nil)
	} else {
		body = object.DropNulls(body, nullableAt(s))
	}
	out := prepared{desired: body}
	out.notes = dropStatus(o, body)
	out.send = copyMap(body)
	if status, ok := body["status"].(map[string]any); ok && m.HasStatus() {
		out.status = status
		delete(out.send, "status")
	}
	if label != "" {
		out.send = withLabel(out.send, state.PartOfLabel, label)
	}
	return out
}

// comparable brings a body to the one form in which desired, last applied and
// live are compared: without what only a server may say, secrets folded into
// data, bytes on one line.
func comparable(body map[string]any) map[string]any {
	return object.Normalise(object.FoldStringData(withoutHistory(object.StripServerFields(body))))
}

// historyAnnotations are what other tools keep about their own applies. They
// are never compared, shown or sent; they go with the first apply.
func historyAnnotations() []string {
	return []string{
		lastAppliedAnnotation,
		kappOriginal, "kapp.k14s.io/original-diff-md5", "kapp.k14s.io/original-diff",
		"kapp.k14s.io/original-diff-full", "kapp.k14s.io/identity",
	}
}

// Recordable returns the body without what other tools keep about their own
// applies: it is never compared, and may show what nobody may see.
func Recordable(body map[string]any) map[string]any {
	return withoutMetadata(body, "annotations", historyAnnotations()...)
}

// withoutHistory returns the body without other tools' history and without our
// own label for members of the set: a missing label is repaired with the next
// write and is no difference.
func withoutHistory(body map[string]any) map[string]any {
	body = withoutMetadata(body, "annotations", historyAnnotations()...)
	return withoutMetadata(body, "labels", state.PartOfLabel)
}

// withoutMetadata returns the body without some keys of its labels or
// annotations, and without the map if nothing is left of it.
func withoutMetadata(body map[string]any, field string, keys ...string) map[string]any {
	meta, _ := body["metadata"].(map[string]any)
	have, _ := meta[field].(map[string]any)
	left := copyMap(have)
	for _, k := range keys {
		delete(left, k)
	}
	if len(left) == len(have) {
		return body
	}
	out, meta := copyMap(body), copyMap(meta)
	if meta[field] = left; len(left) == 0 {
		delete(meta, field)
	}
	out["metadata"] = meta
	return out
}

// nullableAt answers for DropNulls where null is a value of its own.
func nullableAt(s *cluster.Schema) func(fieldpath.Path) bool {
	return func(p fieldpath.Path) bool {
		at := s
		for _, e := range p {
			switch {
			case e.FieldName != nil:
				at = at.Field(*e.FieldName)
			default:
				at = at.Item()
			}
		}
		return !at.Known() || at.Nullable()
	}
}

// dropStatus removes a status that nobody means to apply: an export's, any
// CRD's, and one with nothing but empty leaves, as generated CRDs carry.
func dropStatus(o object.Object, body map[string]any) []string {
	status, ok := body["status"]
	if !ok {
		return nil
	}
	switch {
	case exported(o.Body):
		delete(body, "status")
		return []string{"status in the file left out: it belongs to the object that the file was exported from"}
	case o.Ref().GroupKind() == crdKind:
		delete(body, "status")
		return []string{"status in the file left out: the API server writes it for CustomResourceDefinitions"}
	case zeroish(status):
		delete(body, "status")
		return []string{"status in the file left out: it holds only empty values"}
	}
	return nil
}

// exported reports whether a file was made from a live object.
func exported(body map[string]any) bool {
	meta, _ := body["metadata"].(map[string]any)
	for _, k := range []string{"uid", "resourceVersion", "managedFields"} {
		if _, ok := meta[k]; ok {
			return true
		}
	}
	return false
}

// zeroish reports whether a value has only empty or zero leaves.
func zeroish(v any) bool {
	switch t := v.(type) {
	case nil:
		return true
	case string:
		return t == ""
	case bool:
		return !t
	case map[string]any:
		for _, sub := range t {
			if !zeroish(sub) {
				return false
			}
		}
		return true
	case []any:
		return len(t) == 0
	default:
		return object.Equal(v, int64(0))
	}
}

// copyMap copies one level, enough to drop or set root fields.
func copyMap(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

// withLabel returns the body with one label more; the input stays untouched.
func withLabel(body map[string]any, key, val string) map[string]any {
	out := copyMap(body)
	meta, _ := out["metadata"].(map[string]any)
	meta = copyMap(meta)
	labels, _ := meta["labels"].(map[string]any)
	labels = copyMap(labels)
	labels[key] = val
	meta["labels"], out["metadata"] = labels, meta
	return out
}

// withPreconditions returns the body with the uid and resourceVersion that the
// write insists on: resourceVersion alone would re-create a deleted object.
func withPreconditions(body map[string]any, uid, resourceVersion string) map[string]any {
	out := copyMap(body)
	meta, _ := out["metadata"].(map[string]any)
	meta = copyMap(meta)
	meta["uid"], meta["resourceVersion"] = uid, resourceVersion
	out["metadata"] = meta
	return out
}
