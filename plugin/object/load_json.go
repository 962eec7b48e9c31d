package object

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// maxJSONDepth is encoding/json's own limit for values; its tokens have none.
const maxJSONDepth = 10000

// jsonDocuments reads a chunk that is written as JSON, one value or several in
// a row, as kubectl does: what YAML parsers make of JSON escapes is wrong for
// surrogate pairs. It returns nil if the chunk is not JSON throughout, and a
// YAML parser has to say what it is.
func jsonDocuments(chunk document) []document {
	text := chunk.text
	if isMarker(text, "---") {
		text = text[len("---"):]
	}
	if trimmed := bytes.TrimSpace(text); len(trimmed) == 0 || trimmed[0] != '{' {
		return nil
	}
	skipped := len(chunk.text) - len(text)
	p := jsonParser{text: text, decoder: json.NewDecoder(bytes.NewReader(text)), line: 1}
	p.decoder.UseNumber()
	var documents []document
	for {
		node, err := p.value(0)
		if errors.Is(err, io.EOF) {
			return documents
		}
		if err != nil {
			return nil
		}
		documents = append(documents, document{line: chunk.line, text: chunk.text[skipped:], json: node})
	}
}

// jsonParser makes YAML nodes of JSON, so that all later steps are the same.
type jsonParser struct {
	text    []byte
	decoder *json.Decoder
	counted int // bytes whose line ends are counted
	line    int
}

var errJSONDepth = errors.New("JSON is nested too deeply")

func (p *jsonParser) value(depth int) (*yaml.Node, error) {
	token, err := p.decoder.Token()
	if err != nil {
		return nil, err
	}
	if depth > maxJSONDepth {
		return nil, errJSONDepth
	}
	node := &yaml.Node{Kind: yaml.ScalarNode, Line: p.lineNow()}
	switch t := token.(type) {
	case json.Delim:
		node.Kind = yaml.SequenceNode
		if t == '{' {
			node.Kind = yaml.MappingNode
		}
		return node, p.content(node, depth)
	case string:
		node.Value, node.Style = t, yaml.DoubleQuotedStyle
	case json.Number:
		node.Value = t.String()
	case bool:
		node.Value = "false"
		if t {
			node.Value = "true"
		}
	default:
		node.Value = "null"
	}
	return node, nil
}

// content reads what is inside a mapping (keys and values in turn) or a list.
func (p *jsonParser) content(node *yaml.Node, depth int) error {
	for p.decoder.More() {
		item, err := p.value(depth + 1)
		if err != nil {
			return unexpectedEnd(err)
		}
		node.Content = append(node.Content, item)
	}
	_, err := p.decoder.Token()
	return unexpectedEnd(err)
}

// unexpectedEnd tells the end inside a value from the one after the last value.
func unexpectedEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (p *jsonParser) lineNow() int {
	offset := int(p.decoder.InputOffset())
	p.line += bytes.Count(p.text[p.counted:offset], []byte("\n"))
	p.counted = offset
	return p.line
}
