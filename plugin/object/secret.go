package object

import (
	"encoding/base64"
	"strings"
)

// isSecret tells the one built-in kind whose content nobody may see.
func isSecret(body map[string]any) bool {
	gvk := gvkOf(body)
	return gvk.Group == "" && gvk.Kind == "Secret"
}

// FoldStringData returns a copy of a Secret with stringData folded into data,
// as the server stores it: base64, and stringData wins over data. Anything else
// is returned as it is. Values that the server would refuse stay where they
// are, so that it says so. The copy shares the rest with body.
func FoldStringData(body map[string]any) map[string]any {
	given, ok := body["stringData"].(map[string]any)
	if !ok || !isSecret(body) {
		return body
	}
	data, ok := body["data"].(map[string]any)
	if !ok && body["data"] != nil {
		return body
	}
	data, left := foldInto(shallow(data), given)
	out := shallow(body)
	delete(out, "stringData")
	if len(left) > 0 {
		out["stringData"] = left
	}
	if len(data) > 0 {
		out["data"] = data
	}
	return out
}

// foldInto sets the texts of given in data and returns what is no text. A null
// means "not given", as everywhere.
func foldInto(data, given map[string]any) (folded, left map[string]any) {
	left = map[string]any{}
	for key, value := range given {
		switch text := value.(type) {
		case string:
			data[key] = base64.StdEncoding.EncodeToString([]byte(text))
		case nil:
		default:
			left[key] = value
		}
	}
	return data, left
}

// decodeBase64 reads base64 as the server does: line breaks don't count.
func decodeBase64(text string) ([]byte, bool) {
	raw, err := base64.StdEncoding.DecodeString(strings.NewReplacer("\r", "", "\n", "").Replace(text))
	return raw, err == nil
}
