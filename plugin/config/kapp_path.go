package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// RulePath leads to fields of an object. It has at least one part.
type RulePath []PathPart

// PathPart is one step of a RulePath. Exactly one of the four forms is set.
type PathPart struct {
	// Key is a key of a mapping, when the other three are not set.
	Key string
	// All stands for every element of a list.
	All bool
	// Index is an element of a list, counted from 0; nil for the other forms.
	Index *int
	// Regex stands for every key of a mapping that it matches somewhere.
	Regex *regexp.Regexp
}

// IsKey reports whether the part is a key of a mapping, given as such.
func (p PathPart) IsKey() bool { return !p.All && p.Index == nil && p.Regex == nil }

// String gives the part as in a document.
func (p PathPart) String() string {
	switch {
	case p.All:
		return "{allIndexes: true}"
	case p.Index != nil:
		return "{index: " + strconv.Itoa(*p.Index) + "}"
	case p.Regex != nil:
		return "{regex: " + strconv.Quote(p.Regex.String()) + "}"
	}
	return p.Key
}

// String gives "[spec, ports, {allIndexes: true}, nodePort]".
func (p RulePath) String() string {
	parts := make([]string, len(p))
	for i := range p {
		parts[i] = p[i].String()
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// Keys gives the path as plain keys; ok is false if it has other parts.
func (p RulePath) Keys() (keys []string, ok bool) {
	for _, part := range p {
		if !part.IsKey() {
			return nil, false
		}
		keys = append(keys, part.Key)
	}
	return keys, true
}

// pathUse says what the paths of a kind of rule may look like.
type pathUse struct {
	regex   bool // {regex: …} is understood
	keyLast bool // the path ends in a key: a list element can't be set or removed
}

// path reads a path.
func (r *kappReader) path(n *yaml.Node, at string, use pathUse) RulePath {
	var path RulePath
	before := len(r.findings)
	r.list(n, at, func(v *yaml.Node, at string) { path = append(path, r.part(v, at, use)) })
	if len(r.findings) > before {
		return path
	}
	if len(path) == 0 {
		r.found(n.Line, at, "a path without parts")
	} else if last := path[len(path)-1]; use.keyLast && (last.All || last.Index != nil) {
		r.found(n.Line, at, "the last part of the path must be a key, found %s", last)
	}
	return path
}

// part reads one part of a path.
func (r *kappReader) part(n *yaml.Node, at string, use pathUse) PathPart {
	switch {
	case n.Kind == yaml.ScalarNode && n.ShortTag() == yaml.NodeTagString:
		return PathPart{Key: r.text(n, at)}
	case n.Kind != yaml.MappingNode:
		r.found(n.Line, at, "wanted a key, {allIndexes: true}, {index: N} or {regex: TEXT}, found %s", kindOf(n))
		return PathPart{}
	}
	var part PathPart
	forms := 0
	before := len(r.findings)
	fields := []field{
		{"allIndexes", func(v *yaml.Node, at string) { forms++; part.All = r.onlyTrue(v, at) }},
		{"index", func(v *yaml.Node, at string) { forms++; part.Index = r.listIndex(v, at) }},
	}
	if use.regex {
		fields = append(fields, field{"regex", func(v *yaml.Node, at string) { forms++; part.Regex = r.regex(v, at) }})
	}
	r.mapping(n, at, fields)
	if forms != 1 && len(r.findings) == before {
		r.found(n.Line, at, "wanted exactly one of %s", strings.Join(keys(fields), ", "))
	}
	return part
}

func (r *kappReader) onlyTrue(n *yaml.Node, at string) bool {
	before := len(r.findings)
	value := r.truth(n, at)
	if !value && len(r.findings) == before {
		r.found(n.Line, at, "wanted true; for one element write {index: N}")
	}
	return value
}

func (r *kappReader) listIndex(n *yaml.Node, at string) *int {
	index, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || n.ShortTag() != yaml.NodeTagInt || err != nil || index < 0 {
		r.found(n.Line, at, "wanted the index of an element, 0 or more, found %s", kindOf(n))
		return nil
	}
	return &index
}

func (r *kappReader) regex(n *yaml.Node, at string) *regexp.Regexp {
	text := r.text(n, at)
	pattern, err := regexp.Compile(text)
	if err != nil {
		r.found(n.Line, at, "%v", fmt.Errorf("not a regular expression: %w", err))
		return nil
	}
	return pattern
}
