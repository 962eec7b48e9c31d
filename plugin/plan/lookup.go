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
	if i := indexOf(list, e); i >= 0 {
		return some(list[i])
	}
	return value{}
}

// indexOf finds the value of a list that a path element names; -1 for none. An
// element that lacks a key, which the server fills in, is only meant where none
// has them all.
func indexOf(list []any, e fieldpath.PathElement) int {
	lacking := -1
	for i, v := range list {
		found, exact := isElement(v, i, e)
		if exact {
			return i
		}
		if found && lacking < 0 {
			lacking = i
		}
	}
	return lacking
}

// isElement reports whether a path element may name the i-th value of a list, and
// whether it surely does.
func isElement(v any, i int, e fieldpath.PathElement) (found, exact bool) {
	switch {
	case e.Index != nil:
		found = *e.Index == i
	case e.Value != nil:
		found = object.Equal(v, (*e.Value).Unstructured())
	case e.Key != nil:
		m, ok := v.(map[string]any)
		if !ok {
			return false, false
		}
		return matches(m, *e.Key)
	}
	return found, found
}

func matches(m map[string]any, key smdvalue.FieldList) (found, exact bool) {
	exact = true
	for _, f := range key {
		have, ok := m[f.Name]
		if want := f.Value.Unstructured(); ok && !object.Equal(have, want) || !ok && !mayDefault(f.Name, want) {
			return false, false
		}
		exact = exact && ok
	}
	return true, exact
}

// mayDefault reports whether an element without a key may stand for one with this
// value. The only key of lists in Kubernetes' own types that has a default is the
// protocol of ports, and custom resources copy it.
func mayDefault(key string, want any) bool {
	return key != "protocol" || want == "TCP"
}
