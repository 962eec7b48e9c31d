package schema

import (
	"maps"
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
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
func (n *node) fill(value any) {
	f := filler{left: maxDefaults}
	f.fill(n, value, nil)
}

// maxDefaults bounds how many defaults one value can get. Definitions that refer
// to one another can ask for more than fits anywhere.
const maxDefaults = 20_000

type filler struct {
	left    int
	endless *node // a schema whose default asks for itself again
}

// fill goes as deep as the value does. made are the schemas whose defaults the
// value is part of.
func (f *filler) fill(n *node, value any, made []*node) {
	for _, b := range n.branches {
		if b.keyword == "$ref" {
			f.fill(b.node, value, made)
		}
	}
	switch v := value.(type) {
	case map[string]any:
		f.fillMap(n, v, made)
	case []any:
		for i, item := range v {
			if p := n.ofItem(i); p != nil {
				f.present(p, item, made, func(filled any) { v[i] = filled })
			}
		}
	}
}

func (f *filler) fillMap(n *node, v map[string]any, made []*node) {
	given := slices.Sorted(maps.Keys(v))
	for _, name := range slices.Sorted(maps.Keys(n.properties)) {
		if _, there := v[name]; !there {
			f.absent(n.properties[name], made, func(filled any) { v[name] = filled })
		}
	}
	for _, key := range given {
		for _, p := range n.of(key) {
			f.present(p, v[key], made, func(filled any) { v[key] = filled })
		}
	}
}

// present fills in what is below a value. null where it can't be is no value.
func (f *filler) present(p *node, value any, made []*node, set func(any)) {
	if value == nil && !p.allowsNull() {
		f.absent(p, made, set)
		return
	}
	f.fill(p, value, made)
}

// absent fills in the default of what has no value.
func (f *filler) absent(p *node, made []*node, set func(any)) {
	if p.fallback == nil || f.left <= 0 {
		return
	}
	if slices.Contains(made, p) {
		f.endless = p
		return
	}
	f.left--
	filled := copyOf(p.fallback)
	set(filled)
	f.fill(p, filled, append(made[:len(made):len(made)], p))
}

// checkDefaults refuses defaults that have no end or are more than anybody wants.
func (s *Schema) checkDefaults(nodes []*node) []bundle.Finding {
	f := filler{left: maxDefaults}
	for _, n := range nodes {
		start := copyOf(n.fallback)
		if start == nil {
			start = map[string]any{}
		}
		f.fill(n, start, []*node{n})
		switch {
		case f.endless != nil:
			return []bundle.Finding{s.source.finding(bundle.Error, f.endless.at, "its default has no end: it asks for itself again")}
		case f.left <= 0:
			return []bundle.Finding{s.source.finding(bundle.Error, n.at, "the defaults expand to more than %d values", maxDefaults)}
		}
	}
	return nil
}

func (n *node) allowsNull() bool {
	return n.nullable || len(n.types) == 0 || slices.Contains(n.types, "null")
}

// copyOf copies a JSON value.
func copyOf(value any) any {
	body := object.Object{Body: map[string]any{"v": value}}.DeepCopy().Body
	return body["v"]
}
