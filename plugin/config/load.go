package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"text/template"

	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Load reads the tazuna.yaml at path and what it includes. Whatever is wrong with
// their content comes as one *Error; an unreadable file as the error of the
// system.
func Load(path string, o LoadOptions) (*File, error) {
	data, err := o.withDefaults().ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read tazuna file: %w", err)
	}
	return Parse(data, path, o)
}

// Parse is Load for content that was read elsewhere. path is for messages, and
// its directory is what relative paths in the content are joined with.
func Parse(data []byte, path string, o LoadOptions) (*File, error) {
	l, err := load(data, path, o)
	if err != nil {
		return nil, err
	}
	sortFindings(l.warnings)
	l.file.Warnings = l.warnings
	for _, m := range l.manifests {
		l.file.Tazuna.Spec.Manifests = append(l.file.Tazuna.Spec.Manifests, m.Manifest)
	}
	return l.file, nil
}

// load reads a file and checks what needs all of it.
func load(data []byte, path string, o LoadOptions) (*loader, error) {
	l := &loader{options: o.withDefaults(), file: &File{Path: path, Environment: o.Environment}}
	l.document(data, path, nil)
	l.names()
	l.dependencies()
	return l, newError(l.findings)
}

func (o LoadOptions) withDefaults() LoadOptions {
	if o.ReadFile == nil {
		o.ReadFile = os.ReadFile
	}
	if o.Exists == nil {
		o.Exists = func(path string) bool {
			_, err := os.Stat(path)
			return err == nil
		}
	}
	return o
}

// loader collects what a file and its includes say.
type loader struct {
	options            LoadOptions
	file               *File
	manifests          []*entry
	findings, warnings []Finding
	// parallel has the names of the children of entries of type parallel, which
	// others may depend on by its name.
	parallel map[string][]string
}

// document reads one file. within is the file that includes it, nil for the root.
func (l *loader) document(data []byte, path string, within *document) {
	d := &document{
		Reader: Reader{reader: &reader{file: path, lenient: l.options.Lenient}, Dir: filepath.Dir(path)},
		loader: l, within: within,
	}
	if root := d.expanded(data); root != nil {
		d.root(root)
	}
	// Those of files that it includes are there already, and come behind.
	l.findings = append(d.reader.findings, l.findings...)
	l.warnings = append(d.reader.warnings, l.warnings...)
}

// document is one file while it is read.
type document struct {
	Reader
	loader *loader
	within *document
}

// expanded executes the text as a template and gives the root of its document;
// nil after a finding.
func (d *document) expanded(data []byte) *yaml.Node {
	text, ok := d.reader.expanded(data, plainTemplate(), variables{Environment: d.loader.options.Environment})
	if !ok {
		return nil
	}
	return d.reader.document([]byte(text), "a Tazuna document with a spec")
}

// expanded executes the text as a template; not ok after a finding.
func (r *reader) expanded(data []byte, base *template.Template, variables any) (text string, ok bool) {
	text, lines, err := expand(string(data), base, variables)
	if err != nil {
		line, text := templateError(err)
		r.found(line, "", "%s", text)
		return "", false
	}
	r.lines = lines
	return text, true
}

// document parses the text and gives the root of its only document; nil after a
// finding. wanted words what the file should hold.
func (r *reader) document(data []byte, wanted string) *yaml.Node {
	var only *yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(data))
	for {
		root, err := nextDocument(documents)
		switch {
		case errors.Is(err, io.EOF):
			if only == nil {
				r.found(0, "", "the file is empty: wanted %s", wanted)
			}
			return only
		case err != nil:
			r.found(syntaxError(err))
			return nil
		case root != nil && only != nil:
			r.found(root.Line, "", "a second document: a tazuna file has exactly one")
			return nil
		case root != nil:
			only = root
		}
	}
}

// syntaxError splits the parser's message into the line that it names and the
// rest.
func syntaxError(err error) (line int, at, format, text string) {
	text = strings.TrimPrefix(err.Error(), "yaml: ")
	if m := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = text[len(m[0]):]
	}
	return line, "", "%s", "not YAML: " + text
}

func (d *document) root(n *yaml.Node) {
	t, hasSpec := &Tazuna{}, false
	if d.within == nil {
		t = &d.loader.file.Tazuna
	}
	before := d.Findings()
	d.mapping(n, "", []field{
		{"apiVersion", func(v *yaml.Node, at string) { t.APIVersion = d.constant(v, at, APIVersion) }},
		{"kind", func(v *yaml.Node, at string) { t.Kind = d.constant(v, at, Kind) }},
		{"spec", func(v *yaml.Node, at string) { hasSpec = true; d.spec(v, at) }},
	})
	if !hasSpec && d.Findings() == before {
		d.Missing(n, "", "spec")
	}
}

// constant reads a text that may only have one value.
func (r *reader) constant(n *yaml.Node, at, want string) string {
	value := r.text(n, at)
	if value != "" && value != want {
		r.found(n.Line, at, "wanted %s, found %s", want, strconv.Quote(value))
	}
	return value
}

// spec reads the content of a file. That of an included file counts in whole:
// its manifests stand in the place of the entry, everything else is added.
func (d *document) spec(n *yaml.Node, at string) {
	s := &d.loader.file.Tazuna.Spec
	g := guard{File: d.file, Mode: MatchOr}
	var environments []guardOf
	d.mapping(n, at, []field{
		{"minimumSupportedTazunaVersion", d.minimumVersion},
		{"project", d.project},
		{"context_matches", func(v *yaml.Node, at string) { g.Line = d.Line(v); g.Patterns = d.patterns(v, at) }},
		{"context_match_mode", func(v *yaml.Node, at string) { g.Mode = d.matchMode(v, at) }},
		{"environments", func(v *yaml.Node, at string) { environments = d.environments(v, at) }},
		{"manifests", func(v *yaml.Node, at string) { d.list(v, at, d.entry) }},
		{"rules", d.rules},
		{"tests", func(v *yaml.Node, at string) { s.Tests = append(s.Tests, d.Tests(v, at)...) }},
		{"providers", func(v *yaml.Node, at string) { d.providers(v, at) }},
	})
	d.guard(n, at, g, environments)
}

// project reads the name of the file among those that use one cluster.
func (d *document) project(n *yaml.Node, at string) {
	name := d.text(n, at)
	if problems := validation.IsValidLabelValue(name); len(problems) > 0 {
		d.found(n.Line, at, "%s is no value of a label: %s", strconv.Quote(name), strings.Join(problems, "; "))
		return
	}
	if d.within != nil {
		d.warn(n.Line, at, "has no effect in an included file: the project is that of %s", d.within.file)
		return
	}
	d.loader.file.Tazuna.Spec.Project = name
}

func (d *document) minimumVersion(n *yaml.Node, at string) {
	version := d.text(n, at)
	if version == "" {
		return
	}
	if err := checkVersion(version, d.loader.options.Version); err != nil {
		d.found(n.Line, at, "%v", err)
	}
	if d.within == nil {
		d.loader.file.Tazuna.Spec.MinimumSupportedTazunaVersion = version
	}
}
