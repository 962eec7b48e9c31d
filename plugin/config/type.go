package config

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Type is what a manifest type tells the reader of a tazuna.yaml. Package build
// lists them all.
type Type struct {
	// Name is the value of the key type.
	Name string
	// Block is the key of the type's own options in the manifest.
	Block string
	// PathOptional lets a manifest of the type do without a path.
	PathOptional bool
	// Read reads the block into the manifest, after the fields that all types
	// have. The block is nil where the manifest has none.
	Read func(r Reader, block *yaml.Node, at string, m *Manifest)
}

func typeNames(types []Type) []string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.Name
	}
	slices.Sort(names)
	return names
}

// Reader reads the values of YAML nodes strictly. Whatever is wrong is collected
// as a finding with file and line; a read function gives the zero value then, so
// that one pass finds every mistake.
type Reader struct {
	*reader
	// Dir is the directory of the file, for relative paths.
	Dir string
}

// Field is a key that a mapping may have. Read is not called for a key that is
// missing or null.
type Field struct {
	Key  string
	Read func(value *yaml.Node, at string)
}

// Found records a mistake at a node. at is where in the document.
func (r Reader) Found(n *yaml.Node, at, format string, args ...any) {
	r.found(n.Line, at, format, args...)
}

// Warn records something that is accepted.
func (r Reader) Warn(n *yaml.Node, at, format string, args ...any) {
	r.warn(n.Line, at, format, args...)
}

// Missing records that a mapping lacks a key that it must have.
func (r Reader) Missing(n *yaml.Node, at, key string) { r.found(n.Line, join(at, key), "missing") }

// MissingFrom records that a manifest lacks a block that its type must have.
func (r Reader) MissingFrom(m *Manifest, at, key string) {
	r.reader.findings = append(r.reader.findings, Finding{File: m.File, Line: m.Line, Field: join(at, key), Text: "missing"})
}

// Line gives the line of the file that a node stands on.
func (r Reader) Line(n *yaml.Node) int { return r.line(n.Line) }

// Findings counts the mistakes so far.
func (r Reader) Findings() int { return len(r.findings) }

// Mapping reads a mapping with exactly these fields.
func (r Reader) Mapping(n *yaml.Node, at string, fields ...Field) {
	own := make([]field, len(fields))
	for i, f := range fields {
		own[i] = field{f.Key, f.Read}
	}
	r.mapping(n, at, own)
}

// Entries calls entry for each key of a mapping of free keys, in the order of the
// file.
func (r Reader) Entries(n *yaml.Node, at string, entry func(key, value *yaml.Node, at string)) {
	pairs, _ := r.pairs(n, at)
	for _, p := range pairs {
		entry(p.key, p.value, join(at, p.key.Value))
	}
}

// List calls item for each element of a sequence.
func (r Reader) List(n *yaml.Node, at string, item func(value *yaml.Node, at string)) {
	r.list(n, at, item)
}

// Text reads a string.
func (r Reader) Text(n *yaml.Node, at string) string { return r.text(n, at) }

// Texts reads a list of strings.
func (r Reader) Texts(n *yaml.Node, at string) []string { return r.texts(n, at) }

// TextMap reads a mapping of strings to strings.
func (r Reader) TextMap(n *yaml.Node, at string) map[string]string {
	out := map[string]string{}
	r.Entries(n, at, func(key, value *yaml.Node, at string) { out[key.Value] = r.text(value, at) })
	return out
}

// Bool reads a boolean.
func (r Reader) Bool(n *yaml.Node, at string) bool { return r.truth(n, at) }

// OneOf reads a string that must be one of the words.
func (r Reader) OneOf(n *yaml.Node, at string, words ...string) string {
	word := r.text(n, at)
	if word != "" && !slices.Contains(words, word) {
		r.found(n.Line, at, "wanted %s; found %s%s", strings.Join(words, ", "), strconv.Quote(word), near(word, words))
		return ""
	}
	return word
}

// Namespace reads the name of a namespace.
func (r Reader) Namespace(n *yaml.Node, at string) string { return r.namespace(n, at) }

// Path reads a path and joins it with the directory of the file. A URL stays as
// written.
func (r Reader) Path(n *yaml.Node, at string) string { return r.join(r.text(n, at)) }

func (r Reader) join(path string) string {
	if path == "" || filepath.IsAbs(path) || isURL(path) {
		return path
	}
	return filepath.Join(r.Dir, path)
}

// Seconds reads a whole number of seconds that is not negative.
func (r Reader) Seconds(n *yaml.Node, at string) time.Duration {
	return time.Duration(r.Count(n, at)) * time.Second
}

// maxCount bounds numbers, so that a duration in seconds can't overflow.
const maxCount = 1 << 31

// Count reads a whole number that is not negative.
func (r Reader) Count(n *yaml.Node, at string) int {
	value, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || n.ShortTag() != yaml.NodeTagInt || err != nil || value < 0 || value > maxCount {
		found := kindOf(n)
		if n.ShortTag() == yaml.NodeTagInt {
			found = n.Value
		}
		r.found(n.Line, at, "wanted a whole number, 0 or more; found %s", found)
		return 0
	}
	return value
}

// Source gives the node as YAML text with aliases written out, for a reader of
// its own.
func (r Reader) Source(n *yaml.Node, at string) []byte {
	text, err := yaml.String(r.written(n))
	if err != nil {
		r.found(n.Line, at, "%v", err)
		return nil
	}
	return []byte(text)
}

// written copies a node with every alias replaced by what it stands for.
func (r Reader) written(n *yaml.Node) *yaml.Node {
	n = r.resolve(n)
	own := *n
	own.Anchor, own.Alias, own.Content = "", nil, nil
	own.HeadComment, own.LineComment, own.FootComment = "", "", ""
	for _, c := range n.Content {
		if r.merges > maxMerges {
			break
		}
		own.Content = append(own.Content, r.written(c))
	}
	return &own
}

// ReadDocument reads a YAML file that isn't a tazuna.yaml with the same
// strictness, or leniency: read gets the root of its only document; wanted words
// what that should be. The error is an *Error.
func ReadDocument(data []byte, path, wanted string, lenient bool, read func(r Reader, root *yaml.Node)) ([]Finding, error) {
	r := Reader{reader: &reader{file: path, lenient: lenient}, Dir: filepath.Dir(path)}
	if root := r.document(data, wanted); root != nil {
		read(r, root)
	}
	return r.warnings, newError(r.findings)
}

// ReadTemplate is ReadDocument for a file that is a template first: base has its
// functions and options, variables is what it can use.
func ReadTemplate(data []byte, path, wanted string, lenient bool, base *template.Template, variables any,
	read func(r Reader, root *yaml.Node),
) ([]Finding, error) {
	r := Reader{reader: &reader{file: path, lenient: lenient}, Dir: filepath.Dir(path)}
	if text, ok := r.expanded(data, base, variables); ok {
		if root := r.document([]byte(text), wanted); root != nil {
			read(r, root)
		}
	}
	return r.warnings, newError(r.findings)
}

// Loose records what only old files may have: a warning if the read is lenient.
func (r Reader) Loose(n *yaml.Node, at, format string, args ...any) {
	r.loose(n.Line, at, format, args...)
}
