package printers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"
)

// encodeJSON writes a value as JSON with sorted map keys and exact numbers,
// indented unless indent is empty. Unlike encoding/json it leaves <, > and &
// readable and escapes every character that could move a terminal's cursor or
// hide text.
func encodeJSON(w io.Writer, value any, indent string) error {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("encode JSON: %w", err)
	}
	_, err := w.Write(escapeJSON(buffer.Bytes()))
	return err
}

// escapeJSON rewrites invisible characters as \u escapes. In JSON text they can
// only stand within strings, so the value stays the same.
func escapeJSON(data []byte) []byte {
	var out []byte
	start := 0
	for i := 0; i < len(data); {
		if data[i] >= ' ' && data[i] <= '~' || data[i] == '\n' {
			i++
			continue
		}
		r, size := utf8.DecodeRune(data[i:])
		if !visible(r) {
			out = append(out, data[start:i]...)
			out = appendJSONRune(out, r)
			start = i + size
		}
		i += size
	}
	if start == 0 {
		return data
	}
	return append(out, data[start:]...)
}

func appendJSONRune(out []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		return fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
	}
	return fmt.Appendf(out, `\u%04x`, r)
}
