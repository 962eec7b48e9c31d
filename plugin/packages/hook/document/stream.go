package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"sigs.k8s.io/yaml"
)

// Document is one document of a stream.
type Document struct {
	// Value is never nil: documents that are empty, null or only comments are
	// left out.
	Value any
	// Number counts the documents that have a value, from 1.
	Number int
	// Line is where the document begins, from 1.
	Line int
}

// Stream reads a stream of JSON values, of YAML documents, or of both: JSON
// values follow one another with or without white space, YAML documents are
// divided by lines of three dashes.
func Stream(data []byte) ([]Document, error) {
	data = withoutMark(data)
	if err := checkText(data); err != nil {
		return nil, err
	}
	s := stream{data: data}
	for _, part := range parts(data) {
		if err := s.read(part); err != nil {
			return nil, err
		}
	}
	return s.documents, nil
}

// JSONStream reads JSON values that follow one another; null is a value that is
// left out.
func JSONStream(data []byte) ([]Document, error) {
	data = withoutMark(data)
	if err := checkText(data); err != nil {
		return nil, err
	}
	s := stream{data: data}
	err := s.json(part{end: len(data), line: 1})
	return s.documents, err
}

// ErrEmpty says that there is no document where one was wanted.
var ErrEmpty = errors.New("there is nothing in it")

// One reads exactly one JSON or YAML document. [ErrEmpty] tells that there is
// none.
func One(data []byte) (any, error) {
	return only(Stream(data))
}

// OneJSON reads exactly one JSON document.
func OneJSON(data []byte) (any, error) {
	return only(JSONStream(data))
}

func only(documents []Document, err error) (any, error) {
	switch {
	case err != nil:
		return nil, err
	case len(documents) == 0:
		return nil, ErrEmpty
	case len(documents) > 1:
		return nil, &SyntaxError{Line: documents[1].Line, Text: "wanted one document, found another one"}
	}
	return documents[0].Value, nil
}

// part is a piece of the text between two lines of dashes, as byte offsets.
type part struct {
	start, end int
	line       int // of start, from 1
}

// parts divides a text at lines that begin a YAML document. No JSON value can
// hold such a line, since its strings have no line ends.
func parts(data []byte) []part {
	var all []part
	current := part{line: 1}
	number := 0
	for at := 0; at < len(data); {
		number++
		next := len(data)
		if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		if isDivider(data[at:next]) {
			current.end = at
			all = append(all, current)
			// What follows the dashes on their line belongs to the document.
			current = part{start: at + len(dashes), line: number}
		}
		at = next
	}
	current.end = len(data)
	return append(all, current)
}

const dashes = "---"

func isDivider(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte(dashes))
	return ok && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0)
}

// stream collects the documents of one text.
type stream struct {
	data      []byte
	documents []Document
}

func (s *stream) add(value any, line int) {
	if value != nil {
		s.documents = append(s.documents, Document{Value: value, Number: len(s.documents) + 1, Line: line})
	}
}

// read takes a part as JSON if it begins like it and its first value is whole,
// else as YAML: {a: b} is YAML that begins like JSON.
func (s *stream) read(p part) error {
	text := bytes.TrimSpace(s.data[p.start:p.end])
	if len(text) == 0 {
		return nil
	}
	if text[0] != '{' && text[0] != '[' {
		return s.yaml(p)
	}
	before := len(s.documents)
	jsonFault := s.json(p)
	if jsonFault == nil || len(s.documents) > before {
		return jsonFault
	}
	yamlFault := s.yaml(p)
	if yamlFault != nil && meansJSON(text) {
		return jsonFault
	}
	return yamlFault
}

// meansJSON tells which of two errors helps the author.
func meansJSON(text []byte) bool {
	next := bytes.TrimLeft(text[1:], " \t\r\n")
	return len(next) == 0 || bytes.IndexByte([]byte(`"{[}]`), next[0]) >= 0
}

func (s *stream) yaml(p part) error {
	text := s.data[p.start:p.end]
	data, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return yamlFault(err, p.line)
	}
	if err := checkNode(text, p.line); err != nil {
		return err
	}
	value, err := settle(data)
	if err != nil {
		return &SyntaxError{Line: p.line, Text: err.Error()}
	}
	s.add(value, p.line)
	return nil
}

func (s *stream) json(p part) error {
	for at := p.start; !isBlank(s.data[at:p.end]); {
		end, err := valueEnd(s.data, at, p.end)
		if err != nil {
			return err
		}
		value, err := settle(s.data[at:end])
		if err != nil {
			return syntaxAt(s.data, int64(at), err.Error())
		}
		begin := at + len(s.data[at:end]) - len(bytes.TrimLeft(s.data[at:end], " \t\r\n"))
		s.add(value, bytes.Count(s.data[:begin], []byte("\n"))+1)
		at = end
	}
	return nil
}

// valueEnd finds the end of the JSON value that begins at a byte, and refuses
// one with a key that is there twice.
func valueEnd(data []byte, at, limit int) (int, error) {
	decoder := json.NewDecoder(bytes.NewReader(data[at:limit]))
	var raw json.RawMessage
	if err := decoder.Decode(&raw); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return 0, syntaxAt(data, int64(at)+max(syntax.Offset-1, 0), "not JSON: "+syntax.Error())
		}
		return 0, syntaxAt(data, int64(limit), fmt.Sprintf("not JSON: %v", err))
	}
	if key, offset, twice := doubleKey(raw); twice {
		start := int(decoder.InputOffset()) - len(raw)
		return 0, syntaxAt(data, int64(at+start)+offset, fmt.Sprintf("key %q is there twice", key))
	}
	return at + int(decoder.InputOffset()), nil
}
