package schema

import (
	"maps"
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Default returns a copy of the values with the defaults of the schema in it. What
// is there is kept; nil values count as none.
func (s *Schema) Default(values map[string]any) map[string]any {
	out, _ := copyOf(values).(map[string]any)
	if out == nil {
		out, _ = copyOf(s.root.fallback).(map[string]any)
	}
	if out == nil {
		out = map[string]any{}
	}
	s.root.fill(out)
	return out
}

// fill adds defaults to a value in place.
func (n *node) fill(value any) bool {
	f := filler{left: maxDefaults}
	f.fill(n, value, nil)
	return f.left > 0
}

// maxDefaults bounds how many defaults one value can get. Definitions that refer
// to one another can ask for more than fits anywhere.
const maxDefaults = 100_000

type filler struct{ left int }

// fill goes as deep as the value does. made are the schemas whose defaults the
// value is part of: none of them is filled in again, or a schema that refers to
// itself would not end.
func (f *filler) fill(n *node, value any, made []*node) {
	for _, b := range n.branches {
		if b.keyword == "$ref" {
			f.fill(b.node, value, made)
		}
	}
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(n.properties)) {
			if _, given := v[name]; !given {
				f.absent(n.properties[name], v, name, made)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			for _, p := range n.of(key) {
				if v[key] == nil && !p.allowsNull() {
					f.absent(p, v, key, made)
				} else {
					f.fill(p, v[key], made)
				}
			}
		}
	case []any:
		for i, item := range v {
			if p := n.ofItem(i); p != nil {
				f.fill(p, item, made)
			}
		}
	}
}

// absent fills in the default of a property that has no value.
func (f *filler) absent(p *node, of map[string]any, name string, made []*node) {
	if p.fallback == nil || f.left <= 0 || slices.Contains(made, p) {
		return
	}
	f.left--
	of[name] = copyOf(p.fallback)
	f.fill(p, of[name], append(made[:len(made):len(made)], p))
}

func (n *node) allowsNull() bool {
	return n.nullable || len(n.types) == 0 || slices.Contains(n.types, "null")
}

// copyOf copies a JSON value.
func copyOf(value any) any {
	body := object.Object{Body: map[string]any{"v": value}}.DeepCopy().Body
	return body["v"]
}
