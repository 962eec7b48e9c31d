package schema

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
)

// pointer is a place in a schema: keys and indices from its root.
type pointer []string

// to returns the place of a child.
func (p pointer) to(keys ...string) pointer {
	return append(p[:len(p):len(p)], keys...)
}

// String is a JSON pointer, "" for the root.
func (p pointer) String() string {
	var b strings.Builder
	for _, key := range p {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key))
	}
	return b.String()
}

func parsePointer(text string) pointer {
	var p pointer
	for part := range strings.SplitSeq(strings.TrimPrefix(text, "/"), "/") {
		if part != "" {
			p = append(p, strings.NewReplacer("~1", "/", "~0", "~").Replace(part))
		}
	}
	return p
}

// place is a line of a file.
type place struct {
	file string
	line int // counted from 1; 0 is unknown
}

// source is a schema as it is written, with the place of each part.
type source struct {
	file   string
	raw    map[string]any
	places map[string]place // by pointer
}

// maxDepth bounds the levels of mappings and lists in a schema: what is done with
// one costs time by the square of its depth and more. A level of properties is two.
const maxDepth = 200

// readSource reads a file; nil if it is no schema.
func readSource(f bundle.File) (*source, []bundle.Finding) {
	s := &source{file: f.Name, places: map[string]place{}}
	value, err := document.One(f.Data)
	switch {
	case errors.Is(err, document.ErrEmpty):
		s.raw = map[string]any{}
		return s, nil
	case err != nil:
		finding := bundle.Finding{Severity: bundle.Error, File: f.Name, Text: err.Error()}
		var syntax *document.SyntaxError
		if errors.As(err, &syntax) {
			finding.Line, finding.Text = syntax.Line, syntax.Text
		}
		return nil, []bundle.Finding{finding}
	}
	raw, isMap := value.(map[string]any)
	if !isMap {
		return nil, []bundle.Finding{{
			Severity: bundle.Error, File: f.Name, Line: 1,
			Text: "wanted a schema, found " + document.KindOf(value),
		}}
	}
	if deeper(raw, maxDepth) {
		return nil, []bundle.Finding{{
			Severity: bundle.Error, File: f.Name, Line: 1,
			Text: fmt.Sprintf("wanted a schema of at most %d levels, found a deeper one", maxDepth),
		}}
	}
	s.raw = raw
	if root, err := yaml.Parse(string(f.Data)); err == nil {
		s.note(pointer{}, root.YNode(), 0)
	} // else JSON with what YAML can't read: no lines
	return s, nil
}

// deeper tells whether a value has more levels of mappings and lists than these.
func deeper(value any, levels int) bool {
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			if levels == 0 || deeper(inner, levels-1) {
				return true
			}
		}
	case []any:
		for _, inner := range v {
			if levels == 0 || deeper(inner, levels-1) {
				return true
			}
		}
	}
	return false
}

// maxAliases bounds how deep aliases are followed for places.
const maxAliases = 100

// note remembers the line of every key and item below a node.
func (s *source) note(at pointer, n *yaml.Node, depth int) {
	if _, known := s.places[at.String()]; !known {
		s.places[at.String()] = place{file: s.file, line: n.Line}
	}
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if depth > maxAliases {
		return
	}
	switch n.Kind {
	case yaml.DocumentNode:
		s.note(at, n.Content[0], depth+1)
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			if key.Value == "<<" {
				s.note(at, value, depth+1)
				continue
			}
			here := at.to(key.Value)
			s.places[here.String()] = place{file: s.file, line: key.Line}
			s.note(here, value, depth+1)
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			s.note(at.to(strconv.Itoa(i)), item, depth+1)
		}
	}
}

// placeOf is where a part stands, or the nearest part around it that is known.
func (s *source) placeOf(p pointer) place {
	for {
		if found, known := s.places[p.String()]; known {
			return found
		}
		if len(p) == 0 {
			return place{file: s.file}
		}
		p = p[:len(p)-1]
	}
}

// finding is one about a part of the schema.
func (s *source) finding(severity bundle.Severity, at pointer, format string, args ...any) bundle.Finding {
	found := s.placeOf(at)
	return bundle.Finding{
		Severity: severity, File: found.file, Line: found.line,
		Key: keyOf(at), Text: fmt.Sprintf(format, args...),
	}
}

// keyOf writes a path as messages have it: "properties.users.items[0].type".
func keyOf(path []string) string {
	var b strings.Builder
	for _, key := range path {
		switch _, err := strconv.ParseUint(key, 10, 31); {
		case err == nil:
			b.WriteString("[" + key + "]")
		case b.Len() > 0:
			b.WriteString("." + key)
		default:
			b.WriteString(key)
		}
	}
	return b.String()
}
