package object

import (
	"errors"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// checkKeys finds what a parser would swallow: duplicate keys, keys that turn
// into something else, words that turn into booleans. Aliases need no visit,
// their anchors are in the same document.
func (r *reading) checkKeys() {
	r.checkNode(r.node, nil)
}

func (r *reading) checkNode(n *yaml.Node, at []string) {
	switch n.Kind {
	case yaml.MappingNode:
		r.checkMapping(n, at)
	case yaml.SequenceNode:
		for i, item := range n.Content {
			r.checkNode(item, append(at, "["+strconv.Itoa(i)+"]"))
		}
	case yaml.ScalarNode:
		r.checkScalar(n, at)
	}
}

func (r *reading) checkMapping(n *yaml.Node, at []string) {
	first := make(map[string]*yaml.Node, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name, ok := r.checkKey(key, at)
		if !ok {
			continue
		}
		here := append(at, name)
		if earlier := first[name]; earlier != nil {
			r.fault(key, keyPath(here), "the key %q is given twice, first on line %d", name, r.origin(earlier).Line)
			r.findings[len(r.findings)-1].Repeated = true
			continue
		}
		if isMergeKey(key) && r.json == nil {
			r.checkMerge(key, value, first)
		}
		first[name] = key
		r.checkNode(value, here)
	}
}

// checkKey returns the text of a key; ok is false after a fault.
func (r *reading) checkKey(key *yaml.Node, at []string) (name string, ok bool) {
	if r.json != nil || isMergeKey(key) {
		return key.Value, true
	}
	name, ok = keyText(key)
	if !ok {
		r.fault(key, keyPath(at), "a key must be text, found %s", nodeType(key))
		return "", false
	}
	target := resolveAlias(key)
	if value, isWord := boolWord(target.Value); isWord && isPlain(target) {
		r.fault(key, keyPath(append(at, target.Value)),
			"the plain key %s is read as the boolean %t; quote it", target.Value, value)
		return "", false
	}
	if name != target.Value && isPlain(target) {
		r.warn(key, "the plain key %s is read as %q; quote it to keep it", keyPath(append(at, target.Value)), name)
	}
	return name, true
}

// checkMerge warns where a merge key comes after keys that it overrides: YAML
// says that the mapping's own keys win, kubectl's parser lets the later win.
func (r *reading) checkMerge(key, value *yaml.Node, earlier map[string]*yaml.Node) {
	var lost []string
	for _, source := range mergeSources(value) {
		for name := range entries(source) {
			if earlier[name] != nil {
				lost = append(lost, name)
			}
		}
	}
	if len(lost) > 0 {
		r.warn(key, "the merge key << overrides %s, given before it; put << first", strings.Join(sortedSet(lost), ", "))
	}
}

func (r *reading) checkScalar(n *yaml.Node, at []string) {
	if !isPlain(n) {
		return
	}
	if r.json != nil {
		r.checkJSONNumber(n, at)
		return
	}
	if _, ok := boolWord(n.Value); ok {
		// Which word is not said: it may stand where a secret should.
		r.warn(n, "%s: a plain y, n, yes, no, on or off is read as a boolean; quote it if text is meant", keyPath(at))
	}
}

// checkJSONNumber refuses what no server can hold; in YAML it would be a text.
func (r *reading) checkJSONNumber(n *yaml.Node, at []string) {
	if _, err := strconv.ParseFloat(n.Value, 64); errors.Is(err, strconv.ErrRange) {
		r.fault(n, keyPath(at), "the number is out of the range of a 64-bit float")
	}
}

// keyPath joins steps for people: spec.containers[0].env.
func keyPath(steps []string) string {
	var out strings.Builder
	for _, step := range steps {
		if out.Len() > 0 && !strings.HasPrefix(step, "[") {
			out.WriteByte('.')
		}
		out.WriteString(step)
	}
	return out.String()
}

func nodeType(n *yaml.Node) string {
	switch resolveAlias(n).Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
		return "null or a special value"
	}
}
