package object

import (
	"bytes"
	"fmt"
	"strings"
)

// EncodeYAML writes a body for people and for kubectl, always in the same way:
// keys sorted bytewise, lists not indented, texts of several lines as literal
// blocks, lines never folded, numbers exact. A text that YAML 1.1 or 1.2 would
// read as something else is quoted. What Load reads back is equal to body.
//
// A value of a Go type that JSON doesn't have is an error that names its path.
func EncodeYAML(body map[string]any) ([]byte, error) {
	var e yamlEncoder
	if len(body) == 0 {
		return []byte("{}\n"), nil
	}
	if err := e.mapping(body, 0, false); err != nil {
		return nil, fmt.Errorf("encode %s as YAML: %w", RefOf(body), err)
	}
	return e.out.Bytes(), nil
}

// longestSimpleKey is less than the 1,024 characters after which parsers don't
// look for the colon of a key any more.
const longestSimpleKey = 1000

type yamlEncoder struct {
	out bytes.Buffer
}

// mapping writes the entries of a mapping that is not empty. inline means that
// the indentation of the first line is written already, after "- ".
func (e *yamlEncoder) mapping(m map[string]any, indent int, inline bool) error {
	for _, key := range sortedKeys(m) {
		if !inline {
			e.indent(indent)
		}
		inline = false
		e.key(key, indent)
		if err := e.entry(m[key], indent); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

func (e *yamlEncoder) key(key string, indent int) {
	text := quoteText(key)
	if len(text) > longestSimpleKey {
		e.out.WriteString("? " + text + "\n")
		e.indent(indent)
		e.out.WriteString(":")
		return
	}
	e.out.WriteString(text + ":")
}

// entry writes the value of a key, after its colon.
func (e *yamlEncoder) entry(value any, indent int) error {
	switch v := value.(type) {
	case map[string]any:
		if len(v) > 0 {
			e.out.WriteByte('\n')
			return e.mapping(v, indent+2, false)
		}
	case []any:
		if len(v) > 0 {
			e.out.WriteByte('\n')
			return e.list(v, indent, false)
		}
	}
	e.out.WriteByte(' ')
	return e.scalar(value, indent+2)
}

// list writes the items of a list that is not empty; inline as for mapping.
func (e *yamlEncoder) list(items []any, indent int, inline bool) error {
	for i, item := range items {
		if !inline {
			e.indent(indent)
		}
		inline = false
		e.out.WriteString("- ")
		if err := e.item(item, indent+2); err != nil {
			return fmt.Errorf("[%d]: %w", i, err)
		}
	}
	return nil
}

func (e *yamlEncoder) item(item any, indent int) error {
	switch v := item.(type) {
	case map[string]any:
		if len(v) > 0 {
			return e.mapping(v, indent, true)
		}
	case []any:
		if len(v) > 0 {
			return e.list(v, indent, true)
		}
	}
	return e.scalar(item, indent)
}

// scalar writes a scalar or an empty collection and ends the line. indent is
// that of the lines of a literal block.
func (e *yamlEncoder) scalar(value any, indent int) error {
	switch v := value.(type) {
	case string:
		if header, ok := literalHeader(v); ok {
			e.literal(v, header, indent)
			return nil
		}
		e.out.WriteString(quoteText(v))
	case nil:
		e.out.WriteString("null")
	case bool:
		fmt.Fprintf(&e.out, "%t", v)
	case map[string]any:
		e.out.WriteString("{}")
	case []any:
		e.out.WriteString("[]")
	default:
		text, err := canonicalNumber(value)
		if err != nil {
			return err
		}
		e.out.WriteString(text)
	}
	e.out.WriteByte('\n')
	return nil
}

func (e *yamlEncoder) literal(text, header string, indent int) {
	e.out.WriteString(header + "\n")
	for _, line := range strings.SplitAfter(text, "\n") {
		if line == "" {
			continue
		}
		if line != "\n" {
			e.indent(indent)
		}
		e.out.WriteString(line)
	}
	if !strings.HasSuffix(text, "\n") {
		e.out.WriteByte('\n')
	}
}

func (e *yamlEncoder) indent(n int) {
	for range n {
		e.out.WriteByte(' ')
	}
}
