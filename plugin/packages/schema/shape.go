package schema

import (
	"encoding/json"

	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// maxShape bounds the parts of a type that a rule sees, with what is referred to
// counted each time.
const maxShape = 5000

// sizeOf counts the schemas in one, up to limit. One that refers to itself has no
// size: the result is beyond the limit then.
func sizeOf(n *node, limit int) int {
	s := sizer{known: map[*node]int{}, limit: limit}
	return s.size(n)
}

type sizer struct {
	known map[*node]int
	limit int
}

func (s *sizer) size(n *node) int {
	if size, known := s.known[n]; known {
		return size
	}
	s.known[n] = s.limit + 1 // until it is known: a cycle
	total := 1
	for _, below := range n.below() {
		total = min(total+s.size(below), s.limit+1)
	}
	s.known[n] = total
	return total
}

// shapeOf writes a node as a structural schema, from which rules get their types.
// Parts that have no type there (any of several, by pattern, without end) are left
// out: a rule that needs them is compiled without types.
func shapeOf(n *node) *structural.Structural {
	if sizeOf(n, maxShape) > maxShape {
		return &structural.Structural{}
	}
	s := &structural.Structural{Generic: structural.Generic{Nullable: n.nullable}}
	s.XIntOrString = n.raw["x-kubernetes-int-or-string"] == true
	for _, t := range n.types {
		if t == "null" {
			s.Nullable = true
			continue
		}
		if s.Type != "" {
			return &structural.Structural{} // of several types
		}
		s.Type = t
	}
	if format, isText := n.raw["format"].(string); isText {
		s.ValueValidation = &structural.ValueValidation{Format: format}
	}
	if s.Type == "" && len(n.properties) > 0 {
		s.Type = "object"
	}
	return withParts(s, n)
}

func withParts(s *structural.Structural, n *node) *structural.Structural {
	if n.items != nil {
		s.Items = shapeOf(n.items)
	}
	switch {
	case len(n.properties) > 0:
		s.Properties = map[string]structural.Structural{}
		for name, p := range n.properties {
			s.Properties[name] = *shapeOf(p)
		}
	case len(n.patterns) > 0:
		return &structural.Structural{}
	case n.additional != nil:
		s.AdditionalProperties = &structural.StructuralOrBool{Structural: shapeOf(n.additional)}
	}
	return s
}

// natives replaces exact numbers by what CEL knows.
func natives(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = natives(item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = natives(v[i])
		}
		return out
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return string(v)
		}
		return f
	case int:
		return int64(v)
	}
	return v
}

// doubles is natives with every number a double, as in protocol buffers' Struct.
func doubles(v any) any {
	switch v := natives(v).(type) {
	case map[string]any:
		for key, item := range v {
			v[key] = doubles(item)
		}
		return v
	case []any:
		for i := range v {
			v[i] = doubles(v[i])
		}
		return v
	case int64:
		return float64(v)
	default:
		return v
	}
}
