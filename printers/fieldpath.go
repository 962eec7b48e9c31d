package printers

import (
	"sort"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// span is a range of lines, counted from zero, with the end left out.
type span struct{ from, to int }

// locator finds the lines of a field path in an encoded object. It reads the
// positions from the YAML itself, so it can't disagree with the encoder.
type locator struct {
	body   encoded
	parsed bool
	root   *yaml.Node
}

// parse reads the text when it is first asked for, since most diffs have nothing
// to locate. A text that can't be parsed finds nothing: that costs the comments
// their place, never the diff.
func (l *locator) parse() {
	l.parsed = true
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(l.body.text), &document); err == nil && len(document.Content) == 1 {
		l.root = document.Content[0]
	}
}

// find gives the lines of a path in the format of structured-merge-diff
// (.spec.containers[name="app"].image). Field names in it are not quoted, so
// .metadata.annotations.kapp.k14s.io/app is only readable next to the object:
// every key that fits is tried, the longest first.
func (l *locator) find(path string) (span, bool) {
	if !l.parsed {
		l.parse()
	}
	if l.root == nil {
		return span{}, false
	}
	return descend(l.root, path, span{0, len(l.body.lines)})
}

func descend(n *yaml.Node, path string, at span) (span, bool) {
	if path == "" {
		return at, true
	}
	switch {
	case n.Kind == yaml.MappingNode && path[0] == '.':
		return descendMap(n, path[1:], at)
	case n.Kind == yaml.SequenceNode && path[0] == '[':
		return descendList(n, path, at)
	}
	return span{}, false
}

func descendMap(n *yaml.Node, path string, at span) (span, bool) {
	var fitting []int
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i].Value
		if strings.HasPrefix(path, key) && endsElement(path[len(key):]) {
			fitting = append(fitting, i)
		}
	}
	sort.SliceStable(fitting, func(i, j int) bool {
		return len(n.Content[fitting[i]].Value) > len(n.Content[fitting[j]].Value)
	})
	for _, i := range fitting {
		inner := childSpan(n, i, 2, at)
		if found, ok := descend(n.Content[i+1], path[len(n.Content[i].Value):], inner); ok {
			return found, true
		}
	}
	return span{}, false
}

func endsElement(rest string) bool {
	return rest == "" || rest[0] == '.' || rest[0] == '['
}

func descendList(n *yaml.Node, path string, at span) (span, bool) {
	element, rest, ok := cutElement(path)
	if !ok {
		return span{}, false
	}
	best, i := 0, 0
	for k, item := range n.Content {
		if score := element.fits(k, item); score > best {
			best, i = score, k
		}
	}
	if best == 0 {
		return span{}, false
	}
	return descend(n.Content[i], rest, childSpan(n, i, 1, at))
}

// childSpan gives the lines of the i-th child: from its first node to where the
// next child, step nodes on, begins.
func childSpan(n *yaml.Node, i, step int, at span) span {
	out := span{n.Content[i].Line - 1, at.to}
	if i+step < len(n.Content) {
		// Flow collections put several children on one line.
		out.to = max(n.Content[i+step].Line-1, out.from+1)
	}
	return out
}

// listElement is a path element in brackets: an index, the keys of a list of
// maps, or the value of a set.
type listElement struct {
	index int // -1 when it is none
	value *string
	keys  map[string]string
}

// cutElement reads a leading [0], [="v"] or [name="a",port=80].
func cutElement(path string) (listElement, string, bool) {
	rest := path[1:]
	if digits := leadingDigits(rest); digits > 0 && strings.HasPrefix(rest[digits:], "]") {
		index, err := strconv.Atoi(rest[:digits])
		return listElement{index: index}, rest[digits+1:], err == nil
	}
	out := listElement{index: -1, keys: map[string]string{}}
	for {
		name, after, ok := strings.Cut(rest, "=")
		if !ok {
			return listElement{}, "", false
		}
		value, tail, ok := cutValue(after)
		if !ok || tail == "" {
			return listElement{}, "", false
		}
		if name == "" {
			out.value = &value
		} else {
			out.keys[name] = value
		}
		rest = tail[1:]
		if tail[0] == ']' {
			return out, rest, true
		}
		if tail[0] != ',' {
			return listElement{}, "", false
		}
	}
}

func leadingDigits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// cutValue reads a quoted string, or a number or boolean up to a comma or the
// closing bracket.
func cutValue(s string) (value, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, ",]")
		if end < 0 {
			return "", "", false
		}
		return s[:end], s[end:], true
	}
	quoted, err := strconv.QuotedPrefix(s)
	if err != nil {
		return "", "", false
	}
	value, err = strconv.Unquote(quoted)
	return value, s[len(quoted):], err == nil
}

// fits tells how well an item fits: zero is not at all.
func (e listElement) fits(i int, item *yaml.Node) int {
	switch {
	case e.index >= 0:
		return oneIf(i == e.index)
	case e.value != nil:
		return oneIf(item.Kind == yaml.ScalarNode && item.Value == *e.value)
	case item.Kind == yaml.MappingNode:
		return e.fittingKeys(item)
	}
	return 0
}

func oneIf(ok bool) int {
	if ok {
		return 1
	}
	return 0
}

// fittingKeys counts the keys that an item has as wanted. It may lack some, which
// the server's schema defaults (protocol of a port), but none may differ.
func (e listElement) fittingKeys(item *yaml.Node) int {
	found := 0
	for i := 0; i+1 < len(item.Content); i += 2 {
		want, ok := e.keys[item.Content[i].Value]
		if !ok {
			continue
		}
		if item.Content[i+1].Value != want {
			return 0
		}
		found++
	}
	return found
}
