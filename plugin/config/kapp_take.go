package config

import (
	"bytes"
	"regexp"
	"slices"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// TakeKappConfig takes the kapp configuration out of a stream of documents before
// they are read as objects, which it is not: it has no name. rest is the stream
// with those documents empty; its lines and the count of its documents are the
// same, so that later messages keep their places. A stream that can't be parsed
// comes back whole, for the reader of objects to say why.
func TakeKappConfig(data []byte, file string) (c KappConfig, rest []byte, err error) {
	if !kappMention.Match(data) {
		return KappConfig{}, data, nil
	}
	r := newKappReader(file)
	for _, part := range splitDocuments(data) {
		root := kappDocument(data, part)
		if root == nil {
			rest = append(rest, data[part.from:part.to]...)
			continue
		}
		r.root(root)
		rest = append(rest, emptyDocument(data[part.from:part.to])...)
	}
	c, err = r.result()
	if err != nil {
		return KappConfig{}, nil, err
	}
	return c, rest, nil
}

// kappMention is in every stream that has configuration, and in few others:
// parsing all of them twice would be half the time of a large plan.
var kappMention = regexp.MustCompile(`kapp\.k14s\.io/v[0-9]`)

// textPart is a piece of a stream, from a document marker or the start to the
// next marker.
type textPart struct {
	from, to int // offsets
	line     int // of from, counted from 1
}

// splitDocuments cuts a stream before each "---" and after each "...", as the
// reader of objects does.
func splitDocuments(data []byte) []textPart {
	var parts []textPart
	at := textPart{line: 1}
	cut := func(offset, line int) {
		if at.to = offset; at.to > at.from {
			parts = append(parts, at)
		}
		at = textPart{from: offset, line: line}
	}
	line := 1
	for offset := 0; offset < len(data); line++ {
		end := len(data)
		if i := bytes.IndexByte(data[offset:], '\n'); i >= 0 {
			end = offset + i + 1
		}
		switch {
		case documentMarker(data[offset:end], "---"):
			cut(offset, line)
		case documentMarker(data[offset:end], "..."):
			cut(end, line+1)
		}
		offset = end
	}
	cut(len(data), line)
	return parts
}

func documentMarker(text []byte, marker string) bool {
	text, found := bytes.CutPrefix(bytes.TrimPrefix(text, []byte(byteOrderMark)), []byte(marker))
	return found && (len(text) == 0 || bytes.IndexByte([]byte(" \t\r\n"), text[0]) >= 0)
}

const byteOrderMark = "\xef\xbb\xbf"

// kappDocument parses a part and gives its root if that is kapp configuration.
// Lines count from the start of the stream.
func kappDocument(data []byte, part textPart) *yaml.Node {
	text := data[part.from:part.to]
	if !kappMention.Match(text) {
		return nil
	}
	padded := append(bytes.Repeat([]byte("\n"), part.line-1), bytes.TrimPrefix(text, []byte(byteOrderMark))...)
	root, err := nextDocument(yaml.NewDecoder(bytes.NewReader(padded)))
	if err != nil || root == nil || root.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == "apiVersion" && isKappVersion(root.Content[i+1].Value) {
			return root
		}
	}
	return nil
}

func isKappVersion(apiVersion string) bool {
	return len(apiVersion) > len(kappGroup) && apiVersion[:len(kappGroup)+1] == kappGroup+"/"
}

// emptyDocument keeps the line breaks of a document, a marker so that it is still
// counted, and the "..." that may end it.
func emptyDocument(text []byte) []byte {
	end := []byte{}
	last := bytes.LastIndexByte(bytes.TrimSuffix(text, []byte("\n")), '\n') + 1
	if documentMarker(text[last:], "...") {
		text, end = text[:last], text[last:]
	}
	breaks := bytes.Repeat([]byte("\n"), bytes.Count(text, []byte("\n")))
	return slices.Concat([]byte("---"), breaks, end)
}
