package config

import (
	"strconv"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// typeParallel is the type of an entry with other entries in it, which only old
// versions of the format have, and the key of its block.
const typeParallel = "parallel"

// children reads the block of an entry of type parallel.
func (d *document) children(n *yaml.Node, at string) (list *yaml.Node) {
	d.mapping(n, at, []field{{"children", func(v *yaml.Node, _ string) { list = v }}})
	return list
}

// parallel puts the children in the place of the entry: manifests run side by
// side anyway where nothing orders them.
func (d *document) parallel(n *yaml.Node, at string, p *parts) {
	d.warn(n.Line, at, "type parallel is obsolete: its children are manifests like others, and dependsOn orders manifests")
	// The versions that have the type want a path too, and don't look at it.
	d.withoutEffect(n, at, p, "of type parallel", "type", typeParallel, "name", "description", "dependsOn", "tags", "tests", "path")
	if p.children == nil {
		d.Missing(n, at, "parallel.children")
		return
	}
	first := len(d.loader.manifests)
	d.list(p.children, join(at, "parallel.children"), d.entry)
	children := d.loader.manifests[first:]
	var names []string
	for i, child := range children {
		d.inherit(child, p)
		if child.Name == "" && p.Name != "" {
			child.Name = p.Name + "-" + strconv.Itoa(i+1)
		}
		names = append(names, child.Name)
	}
	if len(children) > 0 {
		last := children[len(children)-1]
		last.Tests = append(last.Tests, p.Tests...)
	}
	if d.loader.parallel == nil {
		d.loader.parallel = map[string][]string{}
	}
	d.loader.parallel[p.Name] = names
}

// inherit gives a child what was said about all of them.
func (d *document) inherit(child *entry, p *parts) {
	child.Tags = append(child.Tags, p.Tags...)
	child.needs = append(child.needs, p.needs...)
}
