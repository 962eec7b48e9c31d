package config

import (
	"fmt"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// maxMerges bounds how many merge keys and aliases one file may follow. Real
// files use a handful; a file of nested aliases would otherwise take time
// exponential in its length.
const maxMerges = 10000

// reader turns YAML nodes into values and collects what is wrong on the way.
// Its read functions give the zero value after a finding, so that one pass finds
// every mistake.
type reader struct {
	file     string
	findings []Finding
	merges   int
	// lines gives the line of the file for each line that the parser saw; nil if
	// they are the same. They differ after a template.
	lines []int
	// lenient makes warnings of what older versions of the format let pass.
	lenient  bool
	warnings []Finding
}

// field is a key that a mapping may have.
type field struct {
	key string
	// read gets the value and its path in the document. It is not called for a
	// key that is missing or null.
	read func(value *yaml.Node, at string)
}

// found records a finding.
func (r *reader) found(line int, at, format string, args ...any) {
	r.findings = append(r.findings, r.finding(line, at, format, args...))
}

// warn records something that is accepted.
func (r *reader) warn(line int, at, format string, args ...any) {
	r.warnings = append(r.warnings, r.finding(line, at, format, args...))
}

// loose records what only old files may have: a finding, or a warning if the
// reader is lenient.
func (r *reader) loose(line int, at, format string, args ...any) {
	f := r.finding(line, at, format, args...)
	if r.lenient {
		r.warnings = append(r.warnings, f)
		return
	}
	f.Lenient = true
	r.findings = append(r.findings, f)
}

func (r *reader) finding(line int, at, format string, args ...any) Finding {
	return Finding{File: r.file, Line: r.line(line), Field: at, Text: fmt.Sprintf(format, args...)}
}

// line gives the line of the file for a line of what the parser saw.
func (r *reader) line(seen int) int {
	if seen < 1 || seen > len(r.lines) {
		return seen
	}
	return r.lines[seen-1]
}

// mapping reads a mapping with exactly the given fields.
func (r *reader) mapping(n *yaml.Node, at string, fields []field) {
	pairs, ok := r.pairs(n, at)
	if !ok {
		return
	}
	for _, p := range pairs {
		f, known := lookUp(fields, p.key.Value)
		switch {
		case known && isNull(p.value):
		case known:
			f.read(p.value, join(at, f.key))
		default:
			r.loose(p.key.Line, at, "unknown field %s%s", strconv.Quote(p.key.Value), didYouMean(p.key.Value, keys(fields)))
		}
	}
}

// pair is one entry of a mapping; value has no alias on top.
type pair struct{ key, value *yaml.Node }

// pairs lists the entries of a mapping with merge keys expanded. A key of the
// mapping itself wins over a merged one, as YAML wants it.
func (r *reader) pairs(n *yaml.Node, at string) ([]pair, bool) {
	n = r.resolve(n)
	if n.Kind != yaml.MappingNode {
		r.found(n.Line, at, "wanted a mapping, found %s", kindOf(n))
		return nil, false
	}
	var own, merged []pair
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Tag == yaml.MergeTag {
			merged = append(merged, r.merged(value, at)...)
			continue
		}
		if key.Kind != yaml.ScalarNode {
			r.found(key.Line, at, "wanted text as key, found %s", kindOf(key))
			continue
		}
		if first, twice := lines[key.Value]; twice {
			r.found(key.Line, at, "key %s is there twice, first on line %d", strconv.Quote(key.Value), r.line(first))
			continue
		}
		lines[key.Value] = key.Line
		own = append(own, pair{key, r.resolve(value)})
	}
	for _, p := range merged {
		if _, taken := lines[p.key.Value]; !taken {
			lines[p.key.Value] = p.key.Line
			own = append(own, p)
		}
	}
	return own, true
}

// merged gives the entries that a merge key brings in: those of a mapping or of
// a list of mappings.
func (r *reader) merged(n *yaml.Node, at string) []pair {
	n = r.resolve(n)
	if r.merges > maxMerges {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		pairs, _ := r.pairs(n, at)
		return pairs
	}
	var all []pair
	for _, item := range n.Content {
		pairs, _ := r.pairs(item, at)
		all = append(all, pairs...)
	}
	return all
}

// resolve follows an alias to what it stands for. Past maxMerges it gives a null,
// which ends every recursion.
func (r *reader) resolve(n *yaml.Node) *yaml.Node {
	if n.Kind != yaml.AliasNode {
		return n
	}
	r.merges++
	if r.merges == maxMerges+1 {
		r.found(n.Line, "", "more than %d aliases", maxMerges)
	}
	if r.merges > maxMerges {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: yaml.NodeTagNull, Line: n.Line}
	}
	return r.resolve(n.Alias)
}

// list calls item for each element of a sequence.
func (r *reader) list(n *yaml.Node, at string, item func(value *yaml.Node, at string)) {
	if n.Kind != yaml.SequenceNode {
		r.found(n.Line, at, "wanted a list, found %s", kindOf(n))
		return
	}
	for i, c := range n.Content {
		if r.merges > maxMerges {
			return
		}
		item(r.resolve(c), fmt.Sprintf("%s[%d]", at, i))
	}
}

// text reads a string. Words that YAML 1.1 reads as booleans are refused when
// they are not quoted: other readers of the file would see a boolean.
func (r *reader) text(n *yaml.Node, at string) string {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != yaml.NodeTagString {
		r.found(n.Line, at, "wanted text, found %s", kindOf(n))
		return ""
	}
	if _, odd := boolWord(n.Value); odd && n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0 {
		r.found(n.Line, at, "wanted text, found the boolean word %s: put it in quotes", n.Value)
		return ""
	}
	return n.Value
}

// texts reads a list of strings.
func (r *reader) texts(n *yaml.Node, at string) []string {
	var all []string
	r.list(n, at, func(value *yaml.Node, at string) { all = append(all, r.text(value, at)) })
	return all
}

// truth reads a boolean, in all spellings of YAML 1.1.
func (r *reader) truth(n *yaml.Node, at string) bool {
	value, ok := boolWord(n.Value)
	quoted := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
	if n.Kind != yaml.ScalarNode || quoted || !ok {
		r.found(n.Line, at, "wanted true or false, found %s", kindOf(n))
	}
	return value
}

// boolWord says whether a plain scalar is a boolean in YAML 1.1, and which.
func boolWord(s string) (value, ok bool) {
	switch strings.ToLower(s) {
	case "true", "yes", "on", "y":
		return true, true
	case "false", "no", "off", "n":
		return false, true
	}
	return false, false
}

func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == yaml.NodeTagNull
}

// kindOf names what a node is, in words for a message.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case yaml.NodeTagString:
		return "text"
	case yaml.NodeTagInt, yaml.NodeTagFloat:
		return "a number"
	case yaml.NodeTagBool:
		return "a boolean"
	case yaml.NodeTagNull:
		return "nothing"
	}
	return "a value of type " + n.ShortTag()
}

func lookUp(fields []field, key string) (field, bool) {
	for _, f := range fields {
		if f.key == key {
			return f, true
		}
	}
	return field{}, false
}

func keys(fields []field) []string {
	all := make([]string, len(fields))
	for i, f := range fields {
		all[i] = f.key
	}
	return all
}

func join(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}
