package config

import (
	"errors"
	"io/fs"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// include is one file that an entry includes.
type include struct {
	node     *yaml.Node
	path, at string
}

// includes reads the list of files of an entry.
func (d *document) includes(n *yaml.Node, at string) []include {
	var all []include
	d.list(n, at, func(v *yaml.Node, at string) {
		i := include{node: v, at: at}
		before := d.Findings()
		d.mapping(v, at, []field{{"path", func(v *yaml.Node, at string) { i.path = d.Path(v, at) }}})
		if i.path == "" && d.Findings() == before {
			d.Missing(v, at, "path")
		}
		all = append(all, i)
	})
	return all
}

// includeAll reads the files of an entry in its place.
func (d *document) includeAll(n *yaml.Node, at string, p *parts) {
	d.withoutEffect(n, at, p, "with includes", "includes", "name", "description")
	for _, i := range p.includes {
		switch {
		case i.path == "":
		case d.within != nil:
			d.found(i.node.Line, join(i.at, "path"), "%s is included by an included file: include it from %s", i.path, d.within.file)
		default:
			d.include(i)
		}
	}
}

func (d *document) include(i include) {
	data, err := d.loader.options.ReadFile(i.path)
	var system *fs.PathError
	switch {
	case errors.As(err, &system):
		d.found(i.node.Line, join(i.at, "path"), "%s can't be read: %v", i.path, system.Err)
	case err != nil:
		d.found(i.node.Line, join(i.at, "path"), "%s can't be read: %v", i.path, err)
	default:
		d.loader.document(data, i.path, d)
	}
}
