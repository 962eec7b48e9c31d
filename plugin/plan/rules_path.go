package plan

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
)

// concrete lists the paths that a rule's path stands for: those at which at
// least one of the bodies has a value. They have the form that compare gives its
// findings, so elements of a list are named by their keys where the schema has
// keys and every element can be keyed, else by position.
//
// {index: N} counts in the first body that has the list; the element is then
// found in the others by its key. An index past the end, a key of something that
// is no map and the like stand for nothing.
func concrete(path config.RulePath, s *cluster.Schema, bodies ...map[string]any) []fieldpath.Path {
	nodes := make([]value, len(bodies))
	for i, body := range bodies {
		nodes[i] = mapValue(body)
	}
	var w pathWalk
	w.walk(path, s, nil, nodes)
	return w.found
}

// pathWalk goes through several bodies at once.
type pathWalk struct {
	found []fieldpath.Path
}

// walk follows the rest of a path from where all bodies stand now.
func (w *pathWalk) walk(path config.RulePath, s *cluster.Schema, at fieldpath.Path, nodes []value) {
	if !slices.ContainsFunc(nodes, func(v value) bool { return v.ok }) {
		return
	}
	if len(path) == 0 {
		w.found = append(w.found, at.Copy())
		return
	}
	for _, next := range steps(path[0], s, nodes) {
		schema := s.Item()
		if next.FieldName != nil {
			schema = s.Field(*next.FieldName)
		}
		inside := make([]value, len(nodes))
		for i, node := range nodes {
			inside[i] = step(node, next)
		}
		w.walk(path[1:], schema, append(at, next), inside)
	}
}

// steps lists the elements that a part of a path stands for.
func steps(part config.PathPart, s *cluster.Schema, nodes []value) []fieldpath.PathElement {
	switch {
	case part.IsKey():
		return []fieldpath.PathElement{field(part.Key)}
	case part.Regex != nil:
		var out []fieldpath.PathElement
		for _, key := range union(mapsOf(nodes)...) {
			if part.Regex.MatchString(key) {
				out = append(out, field(key))
			}
		}
		return out
	}
	lists := listsOf(nodes)
	if len(lists) == 0 {
		return nil
	}
	all := elements(s, lists...)
	switch {
	case part.All:
		return all
	case *part.Index < min(len(lists[0]), len(all)):
		return all[*part.Index : *part.Index+1]
	default:
		return nil
	}
}

// elements names the elements of all lists once, those of the first list first
// and in its order. It decides as compare does what a name is.
func elements(s *cluster.Schema, lists ...[]any) []fieldpath.PathElement {
	switch s.ListType() {
	case cluster.ListMap:
		if keyed, ok := keyedElements(s, lists); ok {
			return keyed
		}
	case cluster.ListSet:
		var out []fieldpath.PathElement
		for _, v := range distinct(lists...) {
			out = append(out, fieldpath.PathElement{Value: pathValue(v)})
		}
		return out
	}
	longest := 0
	for _, list := range lists {
		longest = max(longest, len(list))
	}
	out := make([]fieldpath.PathElement, longest)
	for i := range out {
		out[i] = fieldpath.PathElement{Index: &i}
	}
	return out
}

func keyedElements(s *cluster.Schema, lists [][]any) ([]fieldpath.PathElement, bool) {
	indexes := make([]keyIndex, len(lists))
	for i, list := range lists {
		var ok bool
		if indexes[i], ok = indexByKey(s, list); !ok {
			return nil, false
		}
	}
	var out []fieldpath.PathElement
	for _, item := range mergeKeys(indexes...) {
		out = append(out, fieldpath.PathElement{Key: &item.fields})
	}
	return out, true
}

func listsOf(nodes []value) [][]any {
	var out [][]any
	for _, node := range nodes {
		if list, ok := node.v.([]any); ok {
			out = append(out, list)
		}
	}
	return out
}

func mapsOf(nodes []value) []map[string]any {
	var out []map[string]any
	for _, node := range nodes {
		if m, ok := node.v.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// reaches reports whether a path can be written in a body: maps on the way are
// made, but no elements of lists.
func reaches(body map[string]any, p fieldpath.Path) bool {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i].FieldName == nil {
			return lookup(body, p[:i+1]).ok
		}
	}
	return true
}

// schemaAt is the schema at a path, nil where it is unknown.
func schemaAt(s *cluster.Schema, p fieldpath.Path) *cluster.Schema {
	for _, e := range p {
		if e.FieldName != nil {
			s = s.Field(*e.FieldName)
		} else {
			s = s.Item()
		}
	}
	return s
}
