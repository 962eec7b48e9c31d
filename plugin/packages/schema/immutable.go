package schema

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Frozen compares settings with those that were applied, defaults filled in on
// both sides, and says which immutable fields differ; nil if none does. A field
// that had no value may get one, and so may what is added to lists and maps.
func (s *Schema) Frozen(applied, settings map[string]any) error {
	f := &frozen{schema: s, seen: map[Fault]bool{}}
	f.walk(s.root, nil, applied, settings)
	if len(f.faults) == 0 {
		return nil
	}
	slices.SortFunc(f.faults, func(a, b Fault) int { return cmp.Compare(a.Path, b.Path) })
	return &InvalidError{Kind: s.kind, Faults: f.faults}
}

type frozen struct {
	schema *Schema
	faults []Fault
	seen   map[Fault]bool
}

// walk goes through schema, old and new values side by side. A mark freezes all
// below it.
func (f *frozen) walk(n *node, path []string, was, is any) {
	if was == nil {
		return // never chosen
	}
	if n.immutable {
		if !object.Equal(was, is) {
			f.found(n, path)
		}
		return
	}
	for _, b := range n.branches {
		f.walk(b.node, path, was, is)
	}
	switch before := was.(type) {
	case map[string]any:
		after, _ := is.(map[string]any)
		f.mapping(n, path, before, after)
	case []any:
		after, _ := is.([]any)
		for i := range min(len(before), len(after)) {
			if p := n.ofItem(i); p != nil {
				f.walk(p, append(path[:len(path):len(path)], strconv.Itoa(i)), before[i], after[i])
			}
		}
	}
}

func (f *frozen) mapping(n *node, path []string, before, after map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(before)) {
		_, declared := n.properties[key]
		_, kept := after[key]
		if !declared && !kept {
			continue // an entry of a map was taken away, not changed
		}
		for _, p := range n.of(key) {
			f.walk(p, append(path[:len(path):len(path)], key), before[key], after[key])
		}
	}
}

func (f *frozen) found(n *node, path []string) {
	at := f.schema.source.placeOf(n.at)
	fault := Fault{
		Path: keyOf(path), Text: "is immutable: it can only be set when the application is created",
		File: at.file, Line: at.line,
	}
	if !f.seen[fault] {
		f.seen[fault] = true
		f.faults = append(f.faults, fault)
	}
}
