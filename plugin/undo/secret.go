package undo

import (
	"encoding/base64"
	"unicode/utf8"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// revealSecret puts values of other bodies of a Secret in the place of the hashes
// that fit them. data and stringData stay what they were, so that the object has the
// hash again that it had.
func revealSecret(h object.Hasher, recorded map[string]any, from ...map[string]any) map[string]any {
	if recorded["kind"] != "Secret" || recorded["apiVersion"] != "v1" {
		return recorded
	}
	out := object.Object{Body: recorded}.DeepCopy().Body
	for _, body := range from {
		keyed, err := h.Keyed(object.FoldStringData(body))
		if body == nil || err != nil {
			continue
		}
		values, _ := object.FoldStringData(body)["data"].(map[string]any)
		hashes, _ := keyed["data"].(map[string]any)
		for _, field := range []string{"data", "stringData"} {
			wanted, _ := out[field].(map[string]any)
			for key, hash := range wanted {
				if hashes[key] == nil || hashes[key] != hash {
					continue
				}
				if value, ok := spelled(field, values[key]); ok {
					wanted[key] = value
				}
			}
		}
	}
	return out
}

// spelled gives a value of data as the field has it.
func spelled(field string, value any) (any, bool) {
	if field == "data" {
		return value, true
	}
	text, _ := value.(string)
	raw, err := base64.StdEncoding.DecodeString(text)
	return string(raw), err == nil && utf8.Valid(raw)
}

// holdsHash tells whether a value is still known by its hash only.
func holdsHash(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		for _, item := range v {
			if holdsHash(item) {
				return true
			}
		}
	case []any:
		for _, item := range v {
			if holdsHash(item) {
				return true
			}
		}
	}
	return object.IsKeyed(value)
}
