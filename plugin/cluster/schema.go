package cluster

// ListType says how the server merges a list, by x-kubernetes-list-type.
type ListType int

// The three list types. Unknown schemas and unmarked lists are atomic.
const (
	ListAtomic ListType = iota
	ListMap
	ListSet
)

// Schema is one node of a kind's OpenAPI v3 schema. A nil *Schema is a valid
// node about which nothing is known; every method may be called on it.
type Schema struct {
	doc *schemaDocument
	// layers are the node itself and everything it refers to ($ref and allOf),
	// nearest first: the first layer that says something wins.
	layers []*schemaNode
	// quantity is set when a reference on the way here named Quantity.
	quantity bool
}

// Known tells whether the server said anything about this node.
func (s *Schema) Known() bool { return s != nil && len(s.layers) > 0 }

// Field is the schema of a property, or of a map's values whatever the key. nil
// when the server does not describe it.
func (s *Schema) Field(name string) *Schema {
	if s == nil {
		return nil
	}
	for _, l := range s.layers {
		if p, ok := l.Properties[name]; ok {
			return s.doc.resolve(p)
		}
	}
	for _, l := range s.layers {
		if l.Values != nil {
			return s.doc.resolve(l.Values)
		}
	}
	return nil
}

// Item is the schema of a list's items, nil when unknown.
func (s *Schema) Item() *Schema {
	if s == nil {
		return nil
	}
	for _, l := range s.layers {
		if l.Items != nil {
			return s.doc.resolve(l.Items)
		}
	}
	return nil
}

// ListType is how the list is merged.
func (s *Schema) ListType() ListType {
	if s == nil {
		return ListAtomic
	}
	for _, l := range s.layers {
		switch l.ListType {
		case "map":
			return ListMap
		case "set":
			return ListSet
		case "atomic":
			return ListAtomic
		}
	}
	return ListAtomic
}

// ListMapKeys are the fields that name an item of a ListMap.
func (s *Schema) ListMapKeys() []string {
	if s == nil {
		return nil
	}
	for _, l := range s.layers {
		if len(l.ListMapKeys) > 0 {
			return l.ListMapKeys
		}
	}
	return nil
}

// KeyDefault is the value the server gives to a list map's key that an item
// leaves out (TCP for a port's protocol), nil when there is none.
func (s *Schema) KeyDefault(key string) any { return s.Item().Field(key).Default() }

// Default is the node's default value, nil when there is none. Numbers are int64
// or float64. The value is shared: don't change it.
func (s *Schema) Default() any {
	if s == nil {
		return nil
	}
	for _, l := range s.layers {
		if l.Default != nil {
			return l.Default
		}
	}
	return nil
}

// MapAtomic tells that the object is replaced as a whole, not field by field.
func (s *Schema) MapAtomic() bool {
	return s.any(func(n *schemaNode) bool { return n.MapType == "atomic" })
}

// AnyKeys tells that the object is a map, whose keys are the user's: labels, say.
func (s *Schema) AnyKeys() bool {
	return s.any(func(n *schemaNode) bool { return n.Values != nil })
}

// IsQuantity tells that the value is a resource quantity: 1 and "1000m" agree.
// Custom resources never say so: their published schemas carry no reference.
func (s *Schema) IsQuantity() bool { return s != nil && s.quantity }

// IsIntOrString tells that both a number and a string are valid.
func (s *Schema) IsIntOrString() bool {
	return s.any(func(n *schemaNode) bool { return n.IntOrString || n.Format == "int-or-string" })
}

// Nullable tells that null is a value of its own here and must be sent.
func (s *Schema) Nullable() bool {
	return s.any(func(n *schemaNode) bool { return n.Nullable })
}

// PreserveUnknown tells that the server keeps fields it does not describe.
func (s *Schema) PreserveUnknown() bool {
	return s.any(func(n *schemaNode) bool { return n.PreserveUnknown })
}

// Type is the JSON type (object, array, string, integer, number, boolean), empty
// when unknown or mixed.
func (s *Schema) Type() string {
	if s == nil {
		return ""
	}
	for _, l := range s.layers {
		if l.Type != "" {
			return l.Type
		}
	}
	return ""
}

// any tells whether a layer has the property.
func (s *Schema) any(has func(*schemaNode) bool) bool {
	if s == nil {
		return false
	}
	for _, l := range s.layers {
		if has(l) {
			return true
		}
	}
	return false
}
