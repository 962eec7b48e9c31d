package config

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// manifestType is what config knows of one type of manifest.
type manifestType struct {
	// name is the value of the key type.
	name string
	// block is the key of the type's own options in the manifest.
	block string
	// read reads that block into the manifest.
	read func(r *reader, block *yaml.Node, at string, m *Manifest)
}

// manifestTypes lists the types that this version builds. It is the only place
// that names them all.
func manifestTypes() []manifestType {
	return []manifestType{
		kustomizeType(),
		yamlType(),
	}
}

// SupportedTypes names the manifest types of this version, in alphabetical order.
func SupportedTypes() []string { return typeNames(manifestTypes()) }

func typeNames(types []manifestType) []string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.name
	}
	slices.Sort(names)
	return names
}

// manifestLater are keys of a manifest that other versions of the tool know.
func manifestLater() []string {
	return []string{"dependsOn", "includes", "tests", "helmfile", "oras", "genesisSecret"}
}

// manifestReader reads the entries of spec.manifests.
type manifestReader struct {
	*reader
	types []manifestType
	dir   string
}

// block is an options block that was met in a manifest.
type block struct {
	of    manifestType
	value *yaml.Node
	at    string
}

// read reads one entry.
func (r manifestReader) read(n *yaml.Node, at string) Manifest {
	m := Manifest{Line: n.Line}
	before := len(r.findings)
	var blocks []block
	fields := []field{
		{"name", func(v *yaml.Node, at string) { m.Name = r.name(v, at) }},
		{"description", func(v *yaml.Node, at string) { m.Description = r.text(v, at) }},
		{"type", func(v *yaml.Node, at string) { m.Type = r.text(v, at) }},
		{"path", func(v *yaml.Node, at string) { m.Path = r.path(v, at) }},
		{"tags", func(v *yaml.Node, at string) { m.Tags = r.texts(v, at) }},
	}
	for _, t := range r.types {
		fields = append(fields, field{t.block, func(v *yaml.Node, at string) {
			blocks = append(blocks, block{t, v, at})
		}})
	}
	r.mapping(n, at, fields, r.later()...)
	if len(r.findings) == before {
		r.required(n, at, m)
	}
	r.options(at, &m, blocks)
	return m
}

// later are the keys of manifestLater that no type of the table has claimed.
func (r manifestReader) later() []string {
	return slices.DeleteFunc(manifestLater(), func(key string) bool {
		return slices.ContainsFunc(r.types, func(t manifestType) bool { return t.block == key })
	})
}

// required reports what every manifest must have. Only for a manifest that is
// otherwise right: a misspelt "nmae" needs no second message.
func (r manifestReader) required(n *yaml.Node, at string, m Manifest) {
	for _, f := range []struct{ key, value string }{{"name", m.Name}, {"type", m.Type}, {"path", m.Path}} {
		if f.value == "" {
			r.found(n.Line, join(at, f.key), "missing")
		}
	}
}

// options checks the type and reads its block.
func (r manifestReader) options(at string, m *Manifest, blocks []block) {
	if m.Type == "" {
		return
	}
	if !slices.Contains(typeNames(r.types), m.Type) {
		r.found(m.Line, join(at, "type"), "type %s of manifest %s is not supported by this version; supported: %s",
			m.Type, strconv.Quote(m.Name), strings.Join(typeNames(r.types), ", "))
		return
	}
	for _, b := range blocks {
		if b.of.name != m.Type {
			r.found(b.value.Line, b.at, "these options belong to type %s, but the manifest has type %s", b.of.name, m.Type)
			continue
		}
		b.of.read(r.reader, b.value, b.at, m)
	}
}

// name reads and checks the name of a manifest.
func (r manifestReader) name(n *yaml.Node, at string) string {
	name := r.text(n, at)
	if err := CheckName(name); name != "" && err != nil {
		r.found(n.Line, at, "%v", err)
	}
	return name
}

// path reads a path and joins it with the directory of the file.
func (r manifestReader) path(n *yaml.Node, at string) string {
	path := r.text(n, at)
	if path == "" || filepath.IsAbs(path) || isURL(path) {
		return path
	}
	return filepath.Join(r.dir, path)
}

// isURL keeps a URL as written, so that the build can refuse it by name.
func isURL(path string) bool { return strings.Contains(path, "://") }
