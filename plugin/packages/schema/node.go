package schema

import (
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
)

// node is one schema in the tree of schemas, as far as we read it ourselves. A
// definition that refers to itself makes the tree a graph.
type node struct {
	at         pointer
	types      []string // empty: any
	nullable   bool
	properties map[string]*node
	patterns   []patternNode
	additional *node // of additionalProperties with a schema
	open       bool  // additionalProperties: true
	items      *node // of all items
	itemList   []*node
	branches   []branch

	fallback        any // default; nil is none
	enum            []any
	examples        []any
	required        []string
	requiredForHelm []string
	rules           []*rule
	immutable       bool
	secret          bool
	grant           string // "" is none
	raw             map[string]any
}

type patternNode struct {
	text string
	re   *regexp.Regexp
	node *node
}

// branch is a schema that applies to the same value.
type branch struct {
	keyword string // allOf, anyOf, oneOf, not, $ref
	node    *node
}

// builder makes nodes of a source and collects what is wrong.
type builder struct {
	source          *source
	made            map[string]*node
	all             []*node // in the order of making
	findings        []bundle.Finding
	requiredForHelm bool     // somewhere
	following       []string // references that are being followed, by pointer
}

func (b *builder) fault(at pointer, format string, args ...any) {
	b.findings = append(b.findings, b.source.finding(bundle.Error, at, format, args...))
}

func (b *builder) warn(at pointer, format string, args ...any) {
	b.findings = append(b.findings, b.source.finding(bundle.Warning, at, format, args...))
}

// node makes the node of one schema, once. A schema that is only a reference is
// what it refers to.
func (b *builder) node(at pointer, value any) *node {
	if n, known := b.made[at.String()]; known {
		return n
	}
	raw, isMap := value.(map[string]any)
	if !isMap {
		b.fault(at, "wanted a schema")
		raw = map[string]any{}
	}
	n := &node{at: at, raw: raw}
	if _, given := raw["$ref"]; given {
		if target := b.follow(at, raw["$ref"]); target != nil && len(withoutWords(raw)) == 1 {
			b.made[at.String()] = target
			return target
		} else if target != nil {
			n.branches = append(n.branches, branch{"$ref", target})
		}
	}
	b.made[at.String()] = n
	b.all = append(b.all, n)
	b.keywords(n)
	b.structure(n)
	b.extensions(n)
	return n
}

// withoutWords leaves out the keywords that only tell people something.
func withoutWords(raw map[string]any) map[string]any {
	rest := maps.Clone(raw)
	for _, key := range []string{"title", "description", "deprecated", "externalDocs"} {
		delete(rest, key)
	}
	return rest
}

// follow makes the node that a reference leads to; nil after a fault.
func (b *builder) follow(at pointer, reference any) *node {
	text, _ := reference.(string)
	target, value, found := b.source.resolve(text)
	if !found {
		b.fault(at.to("$ref"), "wanted a reference into this schema, such as #/definitions/name, that is there")
		return nil
	}
	if slices.Contains(b.following, at.String()) {
		b.fault(at.to("$ref"), "it refers to itself")
		return nil
	}
	b.following = append(b.following, at.String())
	defer func() { b.following = b.following[:len(b.following)-1] }()
	return b.node(target, value)
}

// resolve finds what "#/a/b" refers to.
func (s *source) resolve(reference string) (pointer, any, bool) {
	if len(reference) == 0 || reference[0] != '#' {
		return nil, nil, false
	}
	at := parsePointer(reference[1:])
	var value any = s.raw
	for _, key := range at {
		switch v := value.(type) {
		case map[string]any:
			value = v[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(v) {
				return nil, nil, false
			}
			value = v[i]
		default:
			return nil, nil, false
		}
	}
	return at, value, value != nil
}

// structure makes the nodes below.
func (b *builder) structure(n *node) {
	for name, value := range b.mapping(n, "properties") {
		if n.properties == nil {
			n.properties = map[string]*node{}
		}
		n.properties[name] = b.node(n.at.to("properties", name), value)
	}
	for text, value := range b.mapping(n, "patternProperties") {
		re, err := regexp.Compile(text)
		if err != nil {
			b.fault(n.at.to("patternProperties", text), "no regular expression: %v", err)
			continue
		}
		n.patterns = append(n.patterns, patternNode{text: text, re: re, node: b.node(n.at.to("patternProperties", text), value)})
	}
	for name, value := range b.mapping(n, "definitions") {
		b.node(n.at.to("definitions", name), value)
	}
	switch more := n.raw["additionalProperties"].(type) {
	case map[string]any:
		n.additional = b.node(n.at.to("additionalProperties"), more)
	case bool:
		n.open = more
	}
	switch items := n.raw["items"].(type) {
	case map[string]any:
		n.items = b.node(n.at.to("items"), items)
	case []any:
		for i, item := range items {
			n.itemList = append(n.itemList, b.node(n.at.to("items", strconv.Itoa(i)), item))
		}
	}
	b.branchesOf(n)
}

func (b *builder) branchesOf(n *node) {
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := n.raw[keyword].([]any)
		for i, value := range list {
			n.branches = append(n.branches, branch{keyword, b.node(n.at.to(keyword, strconv.Itoa(i)), value)})
		}
	}
	if value, given := n.raw["not"]; given {
		n.branches = append(n.branches, branch{"not", b.node(n.at.to("not"), value)})
	}
}

// mapping goes through a keyword that maps names to schemas, in their order.
func (b *builder) mapping(n *node, keyword string) func(func(string, any) bool) {
	of, isMap := n.raw[keyword].(map[string]any)
	if !isMap && n.raw[keyword] != nil {
		b.fault(n.at.to(keyword), "wanted a mapping of names to schemas")
	}
	return func(yield func(string, any) bool) {
		for _, name := range slices.Sorted(maps.Keys(of)) {
			if !yield(name, of[name]) {
				return
			}
		}
	}
}

// of returns the schemas of one property of a value: declared by name or by
// pattern, else that of additional ones.
func (n *node) of(key string) []*node {
	var found []*node
	if p, declared := n.properties[key]; declared {
		found = append(found, p)
	}
	for _, p := range n.patterns {
		if p.re.MatchString(key) {
			found = append(found, p.node)
		}
	}
	if len(found) == 0 && n.additional != nil {
		found = append(found, n.additional)
	}
	return found
}

// ofItem returns the schema of an item of a list, nil if there is none.
func (n *node) ofItem(i int) *node {
	if i < len(n.itemList) {
		return n.itemList[i]
	}
	return n.items
}

// below lists the schemas in this one.
func (n *node) below() []*node {
	all := slices.Clone(n.itemList)
	for _, one := range []*node{n.items, n.additional} {
		if one != nil {
			all = append(all, one)
		}
	}
	for _, p := range n.patterns {
		all = append(all, p.node)
	}
	for _, b := range n.branches {
		all = append(all, b.node)
	}
	for _, name := range slices.Sorted(maps.Keys(n.properties)) {
		all = append(all, n.properties[name])
	}
	return all
}
