package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// checkNode refuses what the reader of values takes silently: text after the
// document ("{a: 1} b", or another one after a line of three dots), and keys that
// become something else than they look like.
func checkNode(text []byte, firstLine int) error {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var node, next yaml.Node
	err := decoder.Decode(&node)
	if err == nil {
		err = decoder.Decode(&next)
	}
	if errors.Is(err, io.EOF) {
		return checkKeys(&node, firstLine)
	}
	fault := &SyntaxError{}
	if err != nil {
		fault = yamlFault(err, firstLine)
	}
	fault.Line = max(fault.Line, firstLine) // the reader leaves out a first line
	fault.Text = "something follows the document; documents are divided by a line of three dashes"
	return fault
}

// checkKeys looks at every key that is written in the text. Aliases are not
// followed: what they stand for is looked at where it stands.
func checkKeys(n *yaml.Node, firstLine int) error {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && becomesBoolean(child) {
			return &SyntaxError{
				Line: child.Line + firstLine - 1, Column: child.Column,
				Text: fmt.Sprintf("the plain key %s is read as a boolean; quote it", child.Value),
			}
		}
		if err := checkKeys(child, firstLine); err != nil {
			return err
		}
	}
	return nil
}

// becomesBoolean knows the words that YAML 1.1 takes for true and false, and that
// nobody means by them.
func becomesBoolean(key *yaml.Node) bool {
	if key.Kind != yaml.ScalarNode || key.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return false
	}
	switch strings.ToLower(key.Value) {
	case "y", "n", "yes", "no", "on", "off":
		return true
	}
	return false
}
