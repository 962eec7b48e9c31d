package build

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// documents parses a YAML text and reports every key that one mapping has twice:
// kustomize would silently take one of them.
func (r *reading) documents(file string, data []byte) []*yaml.Node {
	roots, err := documentRoots(data)
	if err != nil {
		r.errs = append(r.errs, fmt.Errorf("%s: %w", file, err))
	}
	for _, root := range roots {
		r.twice(file, root)
	}
	return roots
}

// documentRoots parses all documents of a YAML text.
func documentRoots(data []byte) ([]*yaml.Node, error) {
	var roots []*yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		err := documents.Decode(&doc)
		switch {
		case errors.Is(err, io.EOF):
			return roots, nil
		case err != nil:
			return nil, errors.New("not YAML: " + strings.TrimPrefix(err.Error(), "yaml: "))
		case len(doc.Content) > 0:
			roots = append(roots, doc.Content[0])
		}
	}
}

func (r *reading) twice(file string, n *yaml.Node) {
	lines := map[string]int{}
	for i, c := range n.Content {
		r.twice(file, c)
		if n.Kind != yaml.MappingNode || i%2 == 1 || c.Kind != yaml.ScalarNode {
			continue
		}
		if first, again := lines[c.Value]; again {
			r.errs = append(r.errs, fmt.Errorf("%s:%d: key %q is there twice, first on line %d", file, c.Line, c.Value, first))
			continue
		}
		lines[c.Value] = c.Line
	}
}

// target is what an alias stands for, or the node itself.
func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// entries calls read for the entries of a mapping and of what merge keys bring
// in. It does nothing for other nodes.
func entries(n *yaml.Node, read func(key, value *yaml.Node)) {
	merged(n, map[*yaml.Node]bool{}, read)
}

// merged does the work of entries; seen ends loops of merge keys.
func merged(n *yaml.Node, seen map[*yaml.Node]bool, read func(key, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode || seen[n] {
		return
	}
	seen[n] = true
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], target(n.Content[i+1])
		switch {
		case key.Tag != yaml.MergeTag:
			read(key, value)
		case value.Kind == yaml.SequenceNode:
			each(value, func(c *yaml.Node) { merged(c, seen, read) })
		default:
			merged(value, seen, read)
		}
	}
}

// each calls read for the elements of a list. It does nothing for other nodes.
func each(n *yaml.Node, read func(*yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		return
	}
	for _, c := range n.Content {
		read(target(c))
	}
}
