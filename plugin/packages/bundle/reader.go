package bundle

import (
	"errors"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
)

// reader takes the document of one file apart. It adds to document.Reader what
// the files of a bundle need: lines, and keys that only deserve a warning.
type reader struct {
	document.Reader
	file     string
	root     *yaml.Node
	warnings []document.Finding
}

// openDocument reads the one document of a file. nil, with findings, if that can't
// be done.
func openDocument(data []byte, file string, read func([]byte) (any, error)) (r *reader, value any, findings []Finding) {
	r = &reader{file: file}
	value, err := read(data)
	switch {
	case errors.Is(err, document.ErrEmpty):
		return nil, nil, []Finding{{Severity: Error, File: file, Text: "is empty"}}
	case err != nil:
		return nil, nil, []Finding{syntaxFinding(file, err)}
	}
	root, err := yaml.Parse(string(data))
	if err == nil {
		r.root = root.YNode()
	} // else JSON with what YAML can't read: findings have no lines
	return r, value, nil
}

// syntaxFinding says where a file stops being YAML or JSON.
func syntaxFinding(file string, err error) Finding {
	f := Finding{Severity: Error, File: file, Text: err.Error()}
	var syntax *document.SyntaxError
	if errors.As(err, &syntax) {
		f.Line, f.Text = syntax.Line, syntax.Text
	}
	f.Text = printable(f.Text)
	return f
}

// findings gives all that was found, with lines.
func (r *reader) findings() []Finding {
	all := make([]Finding, 0, len(r.Findings)+len(r.warnings))
	add := func(severity Severity, findings []document.Finding) {
		for _, f := range findings {
			all = append(all, Finding{
				Severity: severity, File: r.file, Line: lineAt(r.root, f.At), Key: printable(f.At), Text: printable(f.Text),
			})
		}
	}
	add(Error, r.Findings)
	add(Warning, r.warnings)
	sortFindings(all)
	return all
}

// warn notes what has no effect, or another than it seems.
func (r *reader) warn(at, text string) {
	r.warnings = append(r.warnings, document.Finding{At: at, Text: text})
}

// mapping reads a mapping of known fields. A key that is not known is ignored by
// the platform: an error where it looks like a known one, or where ignoring it
// would loosen a requirement (strict), else a warning.
func (r *reader) mapping(value any, at string, strict bool, fields []document.Field) bool {
	before := r.Unknown
	defer func() { r.Unknown = before }()
	r.Unknown = func(key, at string) {
		here := document.Join(at, key)
		if meant := nearest(key, fields); meant != "" {
			r.Found(here, "unknown key; did you mean %s?", meant)
			return
		}
		if strict {
			r.Found(here, "unknown key")
			return
		}
		r.warn(here, "unknown key, which the platform ignores")
	}
	return r.Mapping(value, at, fields)
}

// texts reads a mapping of text by language or name.
func (r *reader) textMap(value any, at string) map[string]string {
	mapping, ok := value.(map[string]any)
	if !ok {
		r.Found(at, "wanted a mapping, found %s", document.KindOf(value))
		return nil
	}
	all := map[string]string{}
	for _, key := range sortedKeys(mapping) {
		all[key] = r.Text(mapping[key], document.Join(at, key))
	}
	return all
}

// constraint reads a range of versions.
func (r *reader) constraint(value any, at string) Constraint {
	c, err := ParseConstraint(r.Text(value, at))
	if err != nil {
		r.Found(at, "%s", err)
	}
	return c
}

// lineAt finds the line of a path in a document: that of the key, or of the
// element of a list. Of a path that is not there it gives the line of what is;
// without a document 0.
func lineAt(root *yaml.Node, at string) int {
	if root == nil {
		return 0
	}
	line, node := root.Line, root
	for at != "" {
		var step *yaml.Node
		step, node, at = descend(node, at)
		if step == nil {
			break
		}
		line = step.Line
	}
	return line
}

// descend goes one step along a path. step is the node whose line counts.
func descend(node *yaml.Node, at string) (step, next *yaml.Node, rest string) {
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	switch node.Kind {
	case yaml.SequenceNode:
		index, rest, ok := cutIndex(at)
		if !ok || index >= len(node.Content) {
			return nil, nil, ""
		}
		return node.Content[index], node.Content[index], rest
	case yaml.MappingNode:
		return descendKey(node, at)
	}
	return nil, nil, ""
}

// descendKey takes the longest key that the path begins with: keys may have dots
// in them.
func descendKey(node *yaml.Node, at string) (step, next *yaml.Node, rest string) {
	longest := -1
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i].Value
		tail, ok := strings.CutPrefix(at, key)
		if !ok || len(key) <= longest || (tail != "" && tail[0] != '.' && tail[0] != '[') {
			continue
		}
		longest = len(key)
		step, next, rest = node.Content[i], node.Content[i+1], strings.TrimPrefix(tail, ".")
	}
	return step, next, rest
}

// cutIndex takes "[3]" off a path.
func cutIndex(at string) (index int, rest string, ok bool) {
	inner, ok := strings.CutPrefix(at, "[")
	if !ok {
		return 0, "", false
	}
	number, rest, ok := strings.Cut(inner, "]")
	index, err := strconv.Atoi(number)
	return index, strings.TrimPrefix(rest, "."), ok && err == nil && index >= 0
}
