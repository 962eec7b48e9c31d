package config

import (
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// entry is a manifest while the file is read.
type entry struct {
	Manifest
	from *document
	// at is where in its document it stands.
	at string
	// needs are the entries of dependsOn with their places.
	needs []needed
	// node is the entry's mapping. nameless tells that Name was made up.
	node     *yaml.Node
	nameless bool
	// faulty entries have findings, and need none about what they lack.
	faulty bool
}

// needed is one name in a dependsOn.
type needed struct {
	name, at string
	line     int
}

// block is an options block that was met in a manifest.
type block struct {
	of    Type
	value *yaml.Node
	at    string
}

// parts are what stands in an entry, before it is known what kind of entry it is.
type parts struct {
	entry
	path     *yaml.Node
	blocks   []block
	includes []include
	children *yaml.Node
	// kind of entry: includes or parallel were met.
	including, isParallel bool
	keys                  []string
}

// entry reads one element of spec.manifests.
func (d *document) entry(n *yaml.Node, at string) {
	p := &parts{entry: entry{from: d, at: at, node: n, Manifest: Manifest{File: d.file, Line: d.Line(n)}}}
	before := d.Findings()
	d.mapping(n, at, d.fields(p))
	switch {
	case p.including:
		d.includeAll(n, at, p)
	case p.Type == typeParallel || p.isParallel:
		d.parallel(n, at, p)
	default:
		if p.path != nil {
			p.Path = d.manifestPath(p.path, join(at, "path"))
		}
		if p.faulty = d.Findings() > before; !p.faulty {
			d.required(n, at, p)
		}
		d.typeOptions(at, p)
		d.loader.manifests = append(d.loader.manifests, &p.entry)
	}
}

// fields are the keys that an entry may have.
func (d *document) fields(p *parts) []field {
	m := &p.Manifest
	fields := []field{
		{"name", func(v *yaml.Node, at string) { m.Name = d.name(v, at) }},
		{"description", func(v *yaml.Node, at string) { m.Description = d.text(v, at) }},
		{"type", func(v *yaml.Node, at string) { m.Type = d.text(v, at) }},
		{"path", func(v *yaml.Node, _ string) { p.path = v }},
		{"tags", func(v *yaml.Node, at string) { m.Tags = d.texts(v, at) }},
		{"dependsOn", func(v *yaml.Node, at string) {
			d.list(v, at, func(v *yaml.Node, at string) {
				p.needs = append(p.needs, needed{name: d.text(v, at), at: at, line: v.Line})
			})
		}},
		{"tests", func(v *yaml.Node, at string) { m.Tests = d.Tests(v, at) }},
		{"includes", func(v *yaml.Node, at string) { p.including = true; p.includes = d.includes(v, at) }},
		{typeParallel, func(v *yaml.Node, at string) { p.isParallel = true; p.children = d.children(v, at) }},
	}
	for _, t := range d.loader.options.Types {
		fields = append(fields, field{t.Block, func(v *yaml.Node, at string) {
			p.blocks = append(p.blocks, block{t, v, at})
		}})
	}
	for i, f := range fields {
		fields[i].read = func(v *yaml.Node, at string) {
			p.keys = append(p.keys, f.key)
			f.read(v, at)
		}
	}
	return fields
}

// required reports what a manifest must have. Only for one that is otherwise
// right: a misspelt "nmae" needs no second message.
func (d *document) required(n *yaml.Node, at string, p *parts) {
	if p.Type == "" {
		d.Missing(n, at, "type")
	}
	t, known := d.typeNamed(p.Type)
	if p.Path == "" && !(known && t.PathOptional) {
		d.Missing(n, at, "path")
	}
}

func (d *document) typeNamed(name string) (Type, bool) {
	for _, t := range d.loader.options.Types {
		if t.Name == name {
			return t, true
		}
	}
	return Type{}, false
}

// typeOptions checks the type and reads its block.
func (d *document) typeOptions(at string, p *parts) {
	if p.Type == "" {
		return
	}
	t, known := d.typeNamed(p.Type)
	if !known {
		names := typeNames(d.loader.options.Types)
		d.reader.findings = append(d.reader.findings, Finding{
			File: d.file, Line: p.Line, Field: join(at, "type"),
			Text: "type " + p.Type + " of manifest " + strconv.Quote(p.Name) + " is unknown" +
				near(p.Type, names) + "; supported: " + strings.Join(names, ", "),
		})
		return
	}
	own := block{of: t, at: join(at, t.Block)}
	for _, b := range p.blocks {
		if b.of.Name != p.Type {
			d.loose(b.value.Line, b.at, "these options belong to type %s, but the manifest has type %s", b.of.Name, p.Type)
			continue
		}
		own = b
	}
	t.Read(d.Reader, own.value, own.at, &p.Manifest)
}

// name reads and checks the name of a manifest.
func (r *reader) name(n *yaml.Node, at string) string {
	name := r.text(n, at)
	if err := CheckName(name); name != "" && err != nil {
		r.found(n.Line, at, "%v", err)
	}
	return name
}

// manifestPath reads the path of a manifest. Older versions joined those of an
// included file with the directory of the root.
func (d *document) manifestPath(n *yaml.Node, at string) string {
	written := d.text(n, at)
	path := d.join(written)
	if d.within == nil || path == written {
		return path
	}
	older := d.within.join(written)
	if older == path || !d.loader.options.Exists(older) {
		return path
	}
	if d.loader.options.Exists(path) {
		d.warn(n.Line, at, "%s is read, which is relative to this file; older versions would read %s", path, older)
		return path
	}
	d.warn(n.Line, at, "%s is read, relative to %s as in older versions: write it relative to this file", older, d.within.file)
	return older
}

// isURL keeps a URL as written, so that the build can refuse it by name.
func isURL(path string) bool { return strings.Contains(path, "://") }

// withoutEffect reports the keys of an entry that mean nothing there.
func (d *document) withoutEffect(n *yaml.Node, at string, p *parts, kind string, allowed ...string) {
	for _, key := range p.keys {
		if !slices.Contains(allowed, key) {
			d.loose(n.Line, join(at, key), "has no effect in an entry %s", kind)
		}
	}
}
