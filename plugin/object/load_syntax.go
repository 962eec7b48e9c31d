package object

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// parse reads the document into nodes. A document without content leaves
// r.node nil.
func (r *reading) parse() {
	node, err := parseYAML(r.text)
	if err != nil {
		line, message := r.explain(err)
		r.fault(&yaml.Node{Line: line}, "", "%s", message)
		return
	}
	r.node = node
}

var errSeveralDocuments = errors.New("found another document without a line \"---\" before it")

// parseYAML returns the root of the only document in text, nil if there is
// none. A panic of the parser is an error like any other: the input is not ours.
func parseYAML(text []byte) (root *yaml.Node, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			root, err = nil, errors.New("the YAML parser gave up")
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var doc, next yaml.Node
	if err := decoder.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, err
	}
	if err := decoder.Decode(&next); !errors.Is(err, io.EOF) {
		// Line ends that only YAML knows (a lone CR) can hide a marker.
		if err == nil {
			err = errSeveralDocuments
		}
		return nil, err
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	return doc.Content[0], nil
}

// explain words a syntax error and finds its line, counted from 1 in r.text.
func (r *reading) explain(err error) (line int, message string) {
	message = withoutLine(err)
	noticed, opened := noticedLine(r.text, err), openedLine(r.text)
	switch {
	case strings.HasPrefix(message, "unknown anchor"):
		// Its name is not said: it may be a password that begins with a star.
		return noticed, "an alias (a plain value that begins with *) without its anchor; quote it if text is meant"
	case strings.Contains(message, "unexpected end of stream"):
		return opened, message // never closed: where it was opened says more
	case hasTabIndent(r.text, noticed):
		return noticed, "a tab where indentation is wanted; YAML indents with spaces only"
	case strings.Contains(message, "expected ',' or") && opened < noticed:
		return noticed, fmt.Sprintf("%s, opened on line %d", message, r.line+opened-1)
	default:
		return noticed, message
	}
}

var linePrefix = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

func withoutLine(err error) string {
	return linePrefix.ReplaceAllString(err.Error(), "")
}

// openedLine is the line that the parser itself states: where the construct
// began that could not be finished. It never states the first line, so the text
// gets one more; and it counts errors of grammar from 0, others from 1.
func openedLine(text []byte) int {
	_, err := parseYAML(slices.Concat([]byte("\n"), text))
	if err == nil {
		return 1
	}
	m := linePrefix.FindStringSubmatch(err.Error())
	if m == nil {
		return 1
	}
	line, _ := strconv.Atoi(m[1])
	if !strings.HasPrefix(withoutLine(err), "did not find expected ") {
		line--
	}
	return max(line, 1)
}

// noticedLine finds the line at which the parser noticed the error: the
// shortest beginning of the text with the same error ends there, as the parser
// reads forward only.
func noticedLine(text []byte, err error) int {
	lines := bytes.SplitAfter(text, []byte("\n"))
	ends := make([]int, len(lines))
	end := 0
	for i, line := range lines {
		end += len(line)
		ends[i] = end
	}
	n := sort.Search(len(ends), func(i int) bool {
		_, partial := parseYAML(text[:ends[i]])
		return partial != nil && partial.Error() == err.Error()
	})
	return min(n+1, len(ends))
}

// hasTabIndent tells whether the line, counted from 1, is indented with a tab.
func hasTabIndent(text []byte, line int) bool {
	lines := bytes.Split(text, []byte("\n"))
	if line < 1 || line > len(lines) {
		return false
	}
	content := bytes.TrimLeft(lines[line-1], " \t")
	indent := lines[line-1][:len(lines[line-1])-len(content)]
	return bytes.IndexByte(indent, '\t') >= 0
}

// quoted matches what parsers quote of an input; it may be a secret.
var quoted = regexp.MustCompile("(?s)`.*`|\".*\"|'.*'")

// withoutValues words an error of a parser without the values in it.
func withoutValues(err error) string {
	return quoted.ReplaceAllString(withoutLine(err), "a value")
}
