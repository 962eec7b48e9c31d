package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// encode marshals a body with every number as it was given: json.Number keeps
// its digits, and nothing goes through a float.
func encode(body map[string]any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		return nil, fmt.Errorf("encode the object: %w", err)
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
}

// encodeYAML marshals a body for a server-side apply, whose JSON is read by a
// YAML parser. YAML forbids some characters that JSON allows as they are.
func encodeYAML(body map[string]any) ([]byte, error) {
	data, err := encode(body)
	if err != nil {
		return nil, err
	}
	if !bytes.ContainsFunc(data, unprintable) {
		return data, nil
	}
	out := make([]byte, 0, len(data)+64)
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if unprintable(r) {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = append(out, data[:size]...)
		}
		data = data[size:]
	}
	return out, nil
}

// unprintable are the characters that YAML wants escaped and JSON does not:
// delete, the C1 controls, the byte order mark and the two non-characters. They
// only ever stand inside strings.
func unprintable(r rune) bool {
	return r == 0x7f || 0x80 <= r && r <= 0x9f || r == 0xfeff || r == 0xfffe || r == 0xffff
}
