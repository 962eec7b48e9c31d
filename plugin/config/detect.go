package config

import (
	"bytes"
	"errors"
	"io"
	"regexp"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// IsTazunaFile says whether data is a tazuna.yaml rather than plain Kubernetes
// objects: its kind is Tazuna, or it has neither apiVersion nor kind but a
// spec. Only the first document that has content counts. Data that is no YAML is
// no tazuna.yaml, but one that a template may make YAML of is judged by its lines.
func IsTazunaFile(data []byte) bool {
	root, err := firstDocument(data)
	if err != nil && bytes.Contains(data, []byte("{{")) {
		return looksLikeTazunaFile(data)
	}
	if err != nil || root == nil || root.Kind != yaml.MappingNode {
		return false
	}
	var kind, version, spec *yaml.Node
	for i := 0; i+1 < len(root.Content); i += 2 {
		switch root.Content[i].Value {
		case "kind":
			kind = root.Content[i+1]
		case "apiVersion":
			version = root.Content[i+1]
		case "spec":
			spec = root.Content[i+1]
		}
	}
	if kind != nil {
		return kind.Kind == yaml.ScalarNode && kind.Value == Kind
	}
	return version == nil && spec != nil
}

// firstDocument gives the root of the first document that is not empty, nil if
// there is none.
func firstDocument(data []byte) (*yaml.Node, error) {
	documents := yaml.NewDecoder(bytes.NewReader(data))
	for {
		root, err := nextDocument(documents)
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil || root != nil {
			return root, err
		}
	}
}

// nextDocument gives the root of the next document, nil if it is empty.
func nextDocument(documents *yaml.Decoder) (*yaml.Node, error) {
	var doc yaml.Node
	if err := documents.Decode(&doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 || isNull(doc.Content[0]) {
		return nil, nil
	}
	return doc.Content[0], nil
}

// looksLikeTazunaFile judges by the keys that stand at the beginning of a line.
func looksLikeTazunaFile(data []byte) bool {
	has := func(pattern string) bool { return regexp.MustCompile(`(?m)^` + pattern).Match(data) }
	if has(`kind:`) {
		return has(`kind:\s*['"]?` + Kind + `['"]?\s*(#.*)?$`)
	}
	return !has(`apiVersion:`) && has(`spec:`)
}
