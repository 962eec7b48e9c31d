package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Catalogue is what a project offers of one kind of resource, such as
// "storageclasses".
type Catalogue struct {
	Default string // "" is none
	Allowed []string
}

// Grants returns the names of the resources that settings can choose from, sorted.
func (s *Schema) Grants() []string {
	names := map[string]bool{}
	s.eachGrant(s.root, nil, nil, func(n *node, _ []string) { names[n.grant] = true })
	return slices.Sorted(maps.Keys(names))
}

// Effective returns the settings that an application has: those that are given,
// with the defaults of the schema, or of the project for fields that name a
// resource and are given no value. A resource without a catalogue is left alone.
func (s *Schema) Effective(given map[string]any, catalogues map[string]Catalogue) map[string]any {
	effective := s.Default(given)
	s.eachGrant(s.root, nil, nil, func(n *node, path []string) {
		chosen := valueAt(given, path)
		if c := catalogues[n.grant]; c.Default != "" && (chosen == nil || chosen == "") {
			set(effective, path, c.Default)
		}
	})
	return effective
}

// Granted says which fields name a resource that the project doesn't offer; nil if
// none does.
func (s *Schema) Granted(settings map[string]any, catalogues map[string]Catalogue) error {
	var faults []Fault
	s.eachGrant(s.root, nil, nil, func(n *node, path []string) {
		c, known := catalogues[n.grant]
		chosen, _ := valueAt(settings, path).(string)
		if !known || chosen == "" || chosen == c.Default || slices.Contains(c.Allowed, chosen) {
			return
		}
		at := s.source.placeOf(n.at)
		faults = append(faults, Fault{
			Path: keyOf(path), File: at.file, Line: at.line,
			Text: fmt.Sprintf("wanted one of the %s of the project (%s)", n.grant, strings.Join(c.Allowed, ", ")),
		})
	})
	if len(faults) == 0 {
		return nil
	}
	return &InvalidError{Kind: s.kind, Faults: faults}
}

// eachGrant finds the fields that name a resource: below properties only, as on
// the platform. A schema that refers to itself is gone through once.
func (s *Schema) eachGrant(n *node, path []string, within []*node, each func(n *node, path []string)) {
	if slices.Contains(within, n) {
		return
	}
	within = append(within[:len(within):len(within)], n)
	for _, b := range n.branches {
		if b.keyword == "$ref" {
			s.eachGrant(b.node, path, within, each)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(n.properties)) {
		p := n.properties[name]
		here := append(path[:len(path):len(path)], name)
		if p.grant != "" {
			each(p, here)
		}
		s.eachGrant(p, here, within, each)
	}
}

func valueAt(value any, path []string) any {
	for _, key := range path {
		of, _ := value.(map[string]any)
		value = of[key]
	}
	return value
}

// set sets a text where the object around it is there.
func set(of map[string]any, path []string, text string) {
	for _, key := range path[:len(path)-1] {
		next, isMap := of[key].(map[string]any)
		if !isMap {
			return
		}
		of = next
	}
	of[path[len(path)-1]] = text
}
