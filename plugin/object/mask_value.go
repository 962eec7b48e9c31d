package object

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// maskedValue is one value that a rule hides.
type maskedValue struct {
	path  Path
	value any
}

// slot names the place for comparing two sides. A key of a Secret is one place
// whether it is written in data or in stringData.
func (v maskedValue) slot() string {
	if n := len(v.path); n >= 2 && v.path[n-2] == "stringData" {
		path := slices.Clone(v.path)
		path[n-2] = "data"
		return path.place()
	}
	return v.path.place()
}

// bytes is what the value says: the decoded bytes of base64 in data, the text
// itself elsewhere, and JSON of what is no text. ok is false for a value that
// JSON can't write; it is equal to nothing.
func (v maskedValue) bytes() (data []byte, ok bool) {
	text, ok := v.value.(string)
	if !ok {
		data, err := json.Marshal(v.value)
		return data, err == nil
	}
	if n := len(v.path); n >= 2 && v.path[n-2] == "data" {
		if raw, ok := decodeBase64(text); ok {
			return raw, true
		}
	}
	return []byte(text), true
}

// place is the path as one comparable text; keys hold no NUL.
func (p Path) place() string { return strings.Join(p, "\x00") }

// extend never writes into the array behind p, which siblings share.
func extend(p Path, element string) Path {
	return append(slices.Clip(p), element)
}

func sortedKeys(m map[string]any) []string {
	return slices.Sorted(maps.Keys(m))
}

func sortedSet(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}
