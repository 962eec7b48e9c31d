package object

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
	kubeyaml "sigs.k8s.io/yaml"
)

// value returns what the document says. Documents of ordinary scalars are built
// from the nodes, which are there already; where anything is out of the
// ordinary (aliases, tags, merge keys, dates, odd numbers) kubectl's parser
// reads the whole document and only the text of numbers is taken from the
// nodes. A fuzz test holds that both ways agree.
func (r *reading) value() (any, bool) {
	if r.json != nil {
		return jsonValue(r.node), true
	}
	if !bareTag.Match(r.text) {
		if value, ok := ordinary(r.node); ok {
			return value, true
		}
	}
	value, err := kubectlValue(r.text)
	if err != nil {
		r.fault(r.node, "", "the document can't be read: %s", withoutValues(err))
		return nil, false
	}
	return exact(value, r.node), true
}

// bareTag matches what may be the tag "!", which makes a text of any scalar and
// leaves no trace in the nodes.
var bareTag = regexp.MustCompile(`!([\s,\]}]|$)`)

// kubectlValue reads a document as kubectl does.
func kubectlValue(text []byte) (value any, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			value, err = nil, fmt.Errorf("the YAML parser gave up")
		}
	}()
	encoded, err := kubeyaml.YAMLToJSON(text)
	if err != nil {
		return nil, err
	}
	return decodeValue(encoded)
}

// ordinary builds the value of a node; ok is false if it needs the real parser.
func ordinary(n *yaml.Node) (value any, ok bool) {
	if n.Style&yaml.TaggedStyle != 0 {
		return nil, false
	}
	switch n.Kind {
	case yaml.ScalarNode:
		return scalar(n)
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			if list[i], ok = ordinary(item); !ok {
				return nil, false
			}
		}
		return list, true
	case yaml.MappingNode:
		return ordinaryMap(n)
	default:
		return nil, false
	}
}

func ordinaryMap(n *yaml.Node) (any, bool) {
	m := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, ok := scalar(n.Content[i])
		if !ok {
			return nil, false
		}
		value, ok := ordinary(n.Content[i+1])
		if !ok {
			return nil, false
		}
		switch k := key.(type) {
		case string:
			m[k] = value
		case int64:
			m[strconv.FormatInt(k, 10)] = value
		default:
			return nil, false
		}
	}
	return m, true
}

// jsonValue builds the value of a node that was read from JSON.
func jsonValue(n *yaml.Node) any {
	switch n.Kind {
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			list[i] = jsonValue(item)
		}
		return list
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			m[n.Content[i].Value] = jsonValue(n.Content[i+1])
		}
		return m
	}
	switch {
	case n.Style == yaml.DoubleQuotedStyle:
		return n.Value
	case n.Value == "true" || n.Value == "false":
		return n.Value == "true"
	case n.Value == "null":
		return nil
	default:
		return exactNumber(json.Number(n.Value))
	}
}

// exact gives the numbers of a value the text they have in the document, which
// kubectl's parser cuts to 64 bits. It changes value in place.
func exact(value any, n *yaml.Node) any {
	n = resolveAlias(n)
	if n == nil {
		return value
	}
	switch v := value.(type) {
	case map[string]any:
		if n.Kind != yaml.MappingNode {
			return value
		}
		for key, entry := range entries(n) {
			if item, ok := v[key]; ok {
				v[key] = exact(item, entry)
			}
		}
	case []any:
		if n.Kind == yaml.SequenceNode && len(n.Content) == len(v) {
			for i := range v {
				v[i] = exact(v[i], n.Content[i])
			}
		}
	case json.Number:
		return exactText(v, n)
	}
	return value
}

// exactText returns the number as the document writes it, if that is a JSON
// number and the same one.
func exactText(number json.Number, n *yaml.Node) any {
	if !isPlain(n) {
		return number
	}
	text := strings.TrimPrefix(strings.ReplaceAll(n.Value, "_", ""), "+")
	if !json.Valid([]byte(text)) || !equalFloats(text, number.String()) {
		return number
	}
	return exactNumber(json.Number(text))
}
