package plan

import "sigs.k8s.io/structured-merge-diff/v6/fieldpath"

// without returns a copy of a body that lacks the value at a path; the parents
// along the path are copied, the rest is shared.
func without(body map[string]any, p fieldpath.Path) map[string]any {
	out, _ := cutAt(body, p).(map[string]any)
	return out
}

func cutAt(v any, p fieldpath.Path) any {
	switch t := v.(type) {
	case map[string]any:
		return cutField(t, p)
	case []any:
		return cutElement(t, p)
	default:
		return v
	}
}

func cutField(m map[string]any, p fieldpath.Path) any {
	if p[0].FieldName == nil {
		return m
	}
	name := *p[0].FieldName
	sub, ok := m[name]
	if !ok {
		return m
	}
	out := copyMap(m)
	if len(p) == 1 {
		delete(out, name)
	} else {
		out[name] = cutAt(sub, p[1:])
	}
	return out
}

func cutElement(list []any, p fieldpath.Path) any {
	out := make([]any, 0, len(list))
	at := indexOf(list, p[0])
	for i, v := range list {
		switch {
		case i != at:
			out = append(out, v)
		case len(p) > 1:
			out = append(out, cutAt(v, p[1:]))
		}
	}
	return out
}
