package schema

import (
	"maps"
	"slices"
)

// Masked is what stands for a secret in values that are shown.
const Masked = "<value not shown>"

// Mask returns a copy of the values without their secrets: what is marked as one,
// with all below it.
func (s *Schema) Mask(values map[string]any) map[string]any {
	masked, _ := s.root.mask(values).(map[string]any)
	return masked
}

// Secrets returns the values that are marked as secret, each with all below it, for
// texts that must not hold them.
func (s *Schema) Secrets(values map[string]any) []any {
	return s.root.secrets(values, nil)
}

// mask follows the value, which ends where the schema may not.
func (n *node) mask(value any) any {
	if value == nil {
		return nil
	}
	if n.secret {
		return Masked
	}
	for _, b := range n.branches {
		if value = b.node.mask(value); value == Masked {
			return Masked
		}
	}
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			for _, p := range n.of(key) {
				item = p.mask(item)
			}
			out[key] = item
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			if p := n.ofItem(i); p != nil {
				item = p.mask(item)
			}
			out[i] = item
		}
		return out
	}
	return value
}

// secrets collects what mask hides.
func (n *node) secrets(value any, found []any) []any {
	if value == nil {
		return found
	}
	if n.secret {
		return append(found, value)
	}
	for _, b := range n.branches {
		found = b.node.secrets(value, found)
	}
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			for _, p := range n.of(key) {
				found = p.secrets(v[key], found)
			}
		}
	case []any:
		for i, item := range v {
			if p := n.ofItem(i); p != nil {
				found = p.secrets(item, found)
			}
		}
	}
	return found
}

// holdsSecret tells whether anything below is marked as secret.
func (n *node) holdsSecret(seen map[*node]bool) bool {
	if seen[n] {
		return false
	}
	seen[n] = true
	if n.secret {
		return true
	}
	for _, below := range n.below() {
		if below.holdsSecret(seen) {
			return true
		}
	}
	return false
}
