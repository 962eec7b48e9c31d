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

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Load reads the tazuna.yaml at path. Whatever is wrong with its content comes as
// one *Error; an unreadable file as the error of the system.
func Load(path string, o LoadOptions) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read tazuna file: %w", err)
	}
	return Parse(data, path, o)
}

// Parse is Load for content that was read elsewhere. path is for messages, and
// its directory is what relative paths in the content are joined with.
func Parse(data []byte, path string, o LoadOptions) (*File, error) {
	return parse(data, path, o, manifestTypes())
}

func parse(data []byte, path string, o LoadOptions, types []manifestType) (*File, error) {
	r := &reader{file: path}
	root := r.document(data)
	if root == nil {
		return nil, newError(r.findings)
	}
	l := loader{reader: r, options: o, types: types, file: &File{Path: path}}
	l.root(root)
	if err := newError(r.findings); err != nil {
		return nil, err
	}
	return l.file, nil
}

// document parses the text and gives the root of its only document; nil after a
// finding.
func (r *reader) document(data []byte) *yaml.Node {
	if line := templateLine(data); line > 0 {
		r.found(line, "", "templates ({{ ... }}) are not supported by this version")
		return nil
	}
	var only *yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(data))
	for {
		root, err := nextDocument(documents)
		switch {
		case errors.Is(err, io.EOF):
			if only == nil {
				r.found(0, "", "the file is empty: wanted a Tazuna document with a spec")
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

// templateLine finds the first line with a template action outside of a comment;
// 0 if there is none. Without this the YAML parser's message would be a riddle.
func templateLine(data []byte) int {
	line := 0
	for text := range strings.SplitSeq(string(data), "\n") {
		line++
		if action := strings.Index(text, "{{"); action >= 0 && !strings.Contains(text[:action], "#") {
			return line
		}
	}
	return 0
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

// loader reads the document into a file.
type loader struct {
	*reader
	options LoadOptions
	types   []manifestType
	file    *File
}

func (l loader) root(n *yaml.Node) {
	t, hasSpec := &l.file.Tazuna, false
	before := len(l.findings)
	l.mapping(n, "", []field{
		{"apiVersion", func(v *yaml.Node, at string) { t.APIVersion = l.constant(v, at, APIVersion) }},
		{"kind", func(v *yaml.Node, at string) { t.Kind = l.constant(v, at, Kind) }},
		{"spec", func(v *yaml.Node, at string) { hasSpec = true; l.spec(v, at) }},
	})
	if !hasSpec && len(l.findings) == before {
		l.found(n.Line, "spec", "missing")
	}
}

// constant reads a text that may only have one value.
func (l loader) constant(n *yaml.Node, at, want string) string {
	value := l.text(n, at)
	if value != "" && value != want {
		l.found(n.Line, at, "wanted %s, found %s", want, strconv.Quote(value))
	}
	return value
}

func (l loader) spec(n *yaml.Node, at string) {
	s := &l.file.Tazuna.Spec
	s.ContextMatchMode = MatchOr
	m := manifestReader{reader: l.reader, types: l.types, dir: filepath.Dir(l.file.Path)}
	l.mapping(n, at, []field{
		{"minimumSupportedTazunaVersion", l.minimumVersion},
		{"context_matches", l.contextMatches},
		{"context_match_mode", l.contextMatchMode},
		{"manifests", func(v *yaml.Node, at string) {
			l.list(v, at, func(v *yaml.Node, at string) { s.Manifests = append(s.Manifests, m.read(v, at)) })
		}},
	}, "environments", "tests", "providers")
	l.unique(at + ".manifests")
}

func (l loader) minimumVersion(n *yaml.Node, at string) {
	version := l.text(n, at)
	if version == "" {
		return
	}
	if err := checkVersion(version, l.options.Version); err != nil {
		l.found(n.Line, at, "%v", err)
	}
	l.file.Tazuna.Spec.MinimumSupportedTazunaVersion = version
}

func (l loader) contextMatches(n *yaml.Node, at string) {
	l.file.guardLine = n.Line
	l.list(n, at, func(v *yaml.Node, at string) {
		pattern := l.text(v, at)
		if _, err := regexp.Compile(pattern); err != nil {
			l.found(v.Line, at, "%v", err)
		}
		l.file.Tazuna.Spec.ContextMatches = append(l.file.Tazuna.Spec.ContextMatches, pattern)
	})
}

func (l loader) contextMatchMode(n *yaml.Node, at string) {
	mode := MatchMode(l.text(n, at))
	switch mode {
	case "":
	case MatchOr, MatchAnd:
		l.file.Tazuna.Spec.ContextMatchMode = mode
	default:
		l.found(n.Line, at, "wanted or, and; found %s", strconv.Quote(string(mode)))
	}
}

// unique refuses two manifests of one name: they would share a record.
func (l loader) unique(at string) {
	lines := map[string]int{}
	for i, m := range l.file.Tazuna.Spec.Manifests {
		if first, twice := lines[m.Name]; twice && m.Name != "" {
			l.found(m.Line, fmt.Sprintf("%s[%d].name", at, i), "manifest %s is there twice, first on line %d", strconv.Quote(m.Name), first)
			continue
		}
		lines[m.Name] = m.Line
	}
}
