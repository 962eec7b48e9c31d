package plan

import (
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smdvalue "sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// lookup finds the value at a path.
func lookup(body map[string]any, p fieldpath.Path) value {
	at := mapValue(body)
	for _, e := range p {
		if at = step(at, e); !at.ok {
			return value{}
		}
	}
	return at
}

func step(at value, e fieldpath.PathElement) value {
	switch t := at.v.(type) {
	case map[string]any:
		if e.FieldName != nil {
			return get(t, *e.FieldName)
		}
	case []any:
		return element(t, e)
	}
	return value{}
}

func element(list []any, e fieldpath.PathElement) value {
	for i, v := range list {
		if isElement(v, i, e) {
			return some(v)
		}
	}
	return value{}
}

// isElement reports whether a path element names the i-th value of a list.
func isElement(v any, i int, e fieldpath.PathElement) bool {
	switch {
	case e.Index != nil:
		return *e.Index == i
	case e.Value != nil:
		return object.Equal(v, (*e.Value).Unstructured())
	case e.Key != nil:
		m, ok := v.(map[string]any)
		return ok && matches(m, *e.Key)
	default:
		return false
	}
}

func matches(m map[string]any, key smdvalue.FieldList) bool {
	for _, f := range key {
		if have, ok := m[f.Name]; ok && !object.Equal(have, f.Value.Unstructured()) {
			return false
		}
	}
	return true
}
