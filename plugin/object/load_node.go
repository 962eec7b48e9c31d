package object

import (
	"encoding/json"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
	kubeyaml "sigs.k8s.io/yaml"
)

func resolveAlias(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// isMergeKey tells the key "<<" that takes over another mapping's keys.
func isMergeKey(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "<<" && (isPlain(n) || n.Tag == "!!merge")
}

// entries returns the mapping's values by key as kubectl's parser sees them:
// in order, where a merge key stands for the keys it takes over, and a later
// entry wins. It must not be called before boundAliases.
func entries(n *yaml.Node) map[string]*yaml.Node {
	found := make(map[string]*yaml.Node, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if isMergeKey(key) {
			for _, source := range mergeSources(value) {
				for k, v := range entries(source) {
					found[k] = v
				}
			}
			continue
		}
		if text, ok := keyText(key); ok {
			found[text] = value
		}
	}
	return found
}

// mergeSources lists the mappings behind a merge key, the strongest last.
func mergeSources(value *yaml.Node) []*yaml.Node {
	value = resolveAlias(value)
	if value.Kind == yaml.MappingNode {
		return []*yaml.Node{value}
	}
	var sources []*yaml.Node
	for i := len(value.Content) - 1; i >= 0; i-- {
		if source := resolveAlias(value.Content[i]); source.Kind == yaml.MappingNode {
			sources = append(sources, source)
		}
	}
	return sources
}

// keyText returns the key as text, the only kind of key that JSON has; ok is
// false for keys that can't be one (null, lists, mappings).
func keyText(n *yaml.Node) (text string, ok bool) {
	n = resolveAlias(n)
	if n == nil || n.Kind != yaml.ScalarNode {
		return "", false
	}
	if !isPlain(n) {
		return n.Value, true
	}
	switch classify(n.Value) {
	case textScalar, integerScalar:
		return n.Value, true
	case nullScalar:
		return "", false
	case boolScalar:
		if value, isWord := boolWord(n.Value); isWord {
			return map[bool]string{true: "true", false: "false"}[value], true
		}
		return strings.ToLower(n.Value), true
	default:
		return unusualKey(n.Value)
	}
}

// unusualKey asks kubectl's parser what it makes of a plain key like 0x10.
func unusualKey(text string) (string, bool) {
	encoded, err := kubeyaml.YAMLToJSON([]byte(text + ": 0\n"))
	if err != nil {
		return "", false
	}
	var keys map[string]any
	if json.Unmarshal(encoded, &keys) != nil || len(keys) != 1 {
		return "", false
	}
	for key := range keys {
		return key, true
	}
	return "", false
}

// nodeAt walks down mappings (keys) for the position of a field; nil if it is
// not there.
func nodeAt(n *yaml.Node, keys ...string) *yaml.Node {
	for _, key := range keys {
		n = resolveAlias(n)
		if n == nil || n.Kind != yaml.MappingNode {
			return nil
		}
		n = entries(n)[key]
	}
	return n
}
