package object

import (
	"bytes"
	"unicode/utf8"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// document is one document of a stream, not yet parsed.
type document struct {
	file   string
	number int // counted from 1
	line   int // of its first byte in the file, counted from 1
	text   []byte
	json   *yaml.Node // already parsed, when it is written as JSON
}

const byteOrderMark = "\xef\xbb\xbf"

// split cuts a stream at its document markers. What is not UTF-8 is refused
// here, before any parser makes something of it.
func split(data []byte, file string) ([]document, *Finding) {
	if fault := checkEncoding(data); fault != nil {
		fault.Origin.File = file
		return nil, fault
	}
	var documents []document
	for _, chunk := range chunks(data) {
		parts := []document{{line: chunk.line, text: chunk.text}}
		if json := jsonDocuments(chunk); json != nil {
			parts = json
		}
		for _, d := range parts {
			d.file, d.number = file, len(documents)+1
			documents = append(documents, d)
		}
	}
	return documents, nil
}

func checkEncoding(data []byte) *Finding {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return &Finding{Text: "the file is UTF-16; wanted UTF-8"}
	}
	if utf8.Valid(data) {
		return nil
	}
	line, rest := 1, data
	for {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size <= 1 {
			return &Finding{Origin: Origin{Line: line}, Text: "a byte that is not UTF-8"}
		}
		if r == '\n' {
			line++
		}
		rest = rest[size:]
	}
}

// chunker cuts text into documents. A document begins with "---", or with the
// first content after the start or after "..."; comments and blank lines alone
// begin none.
type chunker struct {
	chunks  []document
	from    int  // offset of the current chunk
	line    int  // line of from
	begun   bool // the chunk is a document
	heading bool // the chunk has directives, which belong to the next "---"
}

func chunks(data []byte) []document {
	c := chunker{line: 1}
	for offset, line := 0, 1; offset < len(data); line++ {
		end := len(data)
		if i := bytes.IndexByte(data[offset:], '\n'); i >= 0 {
			end = offset + i + 1
		}
		c.add(data, offset, end, line)
		offset = end
	}
	c.flush(data, len(data))
	return c.chunks
}

// add looks at one line, data[offset:end].
func (c *chunker) add(data []byte, offset, end, line int) {
	text := bytes.TrimPrefix(data[offset:end], []byte(byteOrderMark))
	switch {
	case isMarker(text, "---"):
		if c.begun || !c.heading {
			c.flush(data, offset)
			c.start(offset, line)
		}
		c.begun = true
	case isMarker(text, "..."):
		c.flush(data, offset)
		c.start(end, line+1)
	case c.begun:
	case bytes.HasPrefix(text, []byte("%")):
		c.heading = true
	default:
		trimmed := bytes.TrimSpace(text)
		c.begun = len(trimmed) > 0 && trimmed[0] != '#'
	}
}

func (c *chunker) start(offset, line int) {
	c.from, c.line, c.begun, c.heading = offset, line, false, false
}

func (c *chunker) flush(data []byte, end int) {
	if c.begun {
		text := bytes.TrimPrefix(data[c.from:end], []byte(byteOrderMark))
		c.chunks = append(c.chunks, document{line: c.line, text: text})
	}
}

// isMarker tells whether the line begins with the marker as a word of its own.
func isMarker(line []byte, marker string) bool {
	rest, found := bytes.CutPrefix(line, []byte(marker))
	return found && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0)
}
