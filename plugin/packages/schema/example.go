package schema

import (
	"maps"
	"slices"
)

// Example makes up values that the schema probably allows: of each part its
// x-example, the first of its x-examples, the first word of an enum, its default,
// and else a placeholder of its type. Of a list it makes one item. It is for trying
// out a package whose settings nobody has given.
func (s *Schema) Example() map[string]any {
	e := exampler{left: maxExample}
	values, _ := e.value(s.root, nil).(map[string]any)
	if values == nil {
		values = map[string]any{}
	}
	return values
}

// maxExample bounds the parts of an example.
const maxExample = 10_000

// exampler makes up values. within are the schemas around the place: none of them
// is made up again in itself.
type exampler struct{ left int }

func (e *exampler) value(n *node, within []*node) any {
	if e.left--; e.left < 0 || slices.Contains(within, n) {
		return nil
	}
	within = append(within[:len(within):len(within)], n)
	switch {
	case len(n.examples) > 0:
		return e.completed(n, copyOf(n.examples[0]), within)
	case len(n.enum) > 0 && n.fallback == nil:
		return copyOf(n.enum[0])
	case n.fallback != nil:
		return e.completed(n, copyOf(n.fallback), within)
	case len(n.types) == 0 && len(n.properties) == 0:
		for _, b := range n.branches {
			if b.keyword != "not" {
				return e.value(b.node, within)
			}
		}
	}
	return e.placeholder(n, within)
}

// completed adds what an object in an example or default leaves out.
func (e *exampler) completed(n *node, value any, within []*node) any {
	given, isMap := value.(map[string]any)
	if !isMap {
		return value
	}
	for _, name := range slices.Sorted(maps.Keys(n.properties)) {
		if _, there := given[name]; there {
			continue
		}
		if made := e.value(n.properties[name], within); made != nil {
			given[name] = made
		}
	}
	return given
}

func (e *exampler) placeholder(n *node, within []*node) any {
	kind := "object"
	if len(n.types) > 0 {
		kind = n.types[0]
	} else if len(n.properties) == 0 {
		return nil
	}
	switch kind {
	case "object":
		return e.completed(n, map[string]any{}, within)
	case "array":
		item := n.ofItem(0)
		if item == nil {
			return []any{}
		}
		if made := e.value(item, within); made != nil {
			return []any{made}
		}
		return []any{}
	case "integer", "number":
		return n.number()
	case "boolean":
		return false
	case "string":
		return n.text()
	}
	return nil
}

// number is the smallest one that is allowed, else 1.
func (n *node) number() any {
	switch least := n.raw["minimum"].(type) {
	case nil:
		return int64(1)
	case int64:
		if n.raw["exclusiveMinimum"] == true {
			return least + 1
		}
		return least
	default:
		return least
	}
}

// text is a word of the format that is asked for.
func (n *node) text() string {
	switch n.raw["format"] {
	case "date":
		return "2026-01-01"
	case "date-time":
		return "2026-01-01T00:00:00Z"
	case "duration":
		return "1m"
	case "email":
		return "someone@example.com"
	case "uri":
		return "https://example.com"
	case "ipv4":
		return "192.0.2.1"
	case "ipv6":
		return "2001:db8::1"
	case "hostname":
		return "example.com"
	case "uuid":
		return "00000000-0000-4000-8000-000000000000"
	case "byte":
		return "ZXhhbXBsZQ=="
	}
	text := "example"
	if least, isInt := n.raw["minLength"].(int64); isInt {
		for int64(len(text)) < min(least, 1<<12) {
			text += "-example"
		}
	}
	if most, isInt := n.raw["maxLength"].(int64); isInt && most >= 0 && int64(len(text)) > most {
		text = text[:most]
	}
	return text
}
