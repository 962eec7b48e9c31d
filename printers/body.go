package printers

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// encoded is a body as the text that is compared.
type encoded struct {
	text  string
	lines []string
}

// encodeBody writes a body as text. A nil body is an empty text.
func encodeBody(body map[string]any, encode func(map[string]any) (string, error)) (encoded, error) {
	if body == nil {
		return encoded{}, nil
	}
	if holdsBytes(body) {
		body, _ = summariseBytes(body).(map[string]any)
	}
	text, err := encode(body)
	if err != nil {
		return encoded{}, err
	}
	return encoded{text: text, lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")}, nil
}

// yamlText is the normal form: YAML with sorted keys.
func yamlText(body map[string]any) (string, error) {
	data, err := object.EncodeYAML(body)
	return string(data), err
}

// jsonText is the form for what YAML can't hold; a YAML parser reads it as well.
func jsonText(body map[string]any) (string, error) {
	var b strings.Builder
	err := encodeJSON(&b, body, "  ")
	return b.String(), err
}

// holdsBytes looks for strings that are no text: YAML can't hold them as they
// are. Nearly no body has one, so the copy is only made when needed.
func holdsBytes(value any) bool {
	switch v := value.(type) {
	case string:
		return !utf8.ValidString(v)
	case map[string]any:
		for key, inner := range v {
			if !utf8.ValidString(key) || holdsBytes(inner) {
				return true
			}
		}
	case []any:
		for _, inner := range v {
			if holdsBytes(inner) {
				return true
			}
		}
	}
	return false
}

// summariseBytes replaces strings that are no text by their size and the start
// of a digest, so that different values still look different.
func summariseBytes(value any) any {
	switch v := value.(type) {
	case string:
		return summariseString(v)
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, inner := range v {
			out[summariseString(key)] = summariseBytes(inner)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = summariseBytes(inner)
		}
		return out
	}
	return value
}

func summariseString(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return fmt.Sprintf("<%d bytes that are no text, sha256 %.8x>", len(s), sha256.Sum256([]byte(s)))
}
