package document

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Finding is one mistake in a document.
type Finding struct {
	// At is the path in the document: "kubernetes[0].jqFilter"; "" is the
	// document itself.
	At string
	// Text says what is wrong, what was wanted and what was found.
	Text string
}

// String gives "path: text".
func (f Finding) String() string {
	if f.At == "" {
		return f.Text
	}
	return f.At + ": " + f.Text
}

// Reader takes values apart and collects what is wrong with them. Its methods
// give the zero value after a finding, so that one pass finds every mistake.
type Reader struct {
	Findings []Finding
	// Unknown, if set, is told of each unknown key instead of it being a finding.
	Unknown func(key, at string)
}

// Found records a finding.
func (r *Reader) Found(at, format string, args ...any) {
	r.Findings = append(r.Findings, Finding{At: at, Text: fmt.Sprintf(format, args...)})
}

// Field is a key that a mapping may have.
type Field struct {
	Key string
	// Read gets the value and its path. It is not called for a key that is
	// missing, nor for one that is null unless Null is set.
	Read func(value any, at string)
	Null bool
}

// Mapping reads a mapping that may have exactly these fields, in their order. It
// tells whether the value is a mapping.
func (r *Reader) Mapping(value any, at string, fields []Field) bool {
	mapping, ok := value.(map[string]any)
	if !ok {
		r.Found(at, "wanted a mapping, found %s", KindOf(value))
		return false
	}
	for _, f := range fields {
		if item, there := mapping[f.Key]; there && (item != nil || f.Null) {
			f.Read(item, Join(at, f.Key))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(mapping)) {
		if slices.ContainsFunc(fields, func(f Field) bool { return f.Key == key }) {
			continue
		}
		if r.Unknown != nil {
			r.Unknown(key, at)
			continue
		}
		r.Found(at, "unknown key %s%s", strconv.Quote(key), didYouMean(key, fields))
	}
	return true
}

// List calls item for each element of a list.
func (r *Reader) List(value any, at string, item func(value any, at string)) {
	list, ok := value.([]any)
	if !ok {
		r.Found(at, "wanted a list, found %s", KindOf(value))
		return
	}
	for i, element := range list {
		item(element, fmt.Sprintf("%s[%d]", at, i))
	}
}

// Text reads text, which may be empty.
func (r *Reader) Text(value any, at string) string {
	text, ok := value.(string)
	if !ok {
		r.Found(at, "wanted text, found %s", KindOf(value))
	}
	return text
}

// Filled reads text that is not empty.
func (r *Reader) Filled(value any, at string) string {
	text := r.Text(value, at)
	if _, ok := value.(string); ok && strings.TrimSpace(text) == "" {
		r.Found(at, "is empty")
		return ""
	}
	return text
}

// Texts reads a list of text that is not empty.
func (r *Reader) Texts(value any, at string) []string {
	all := []string{}
	r.List(value, at, func(value any, at string) { all = append(all, r.Filled(value, at)) })
	return all
}

// Word reads one of a few words.
func (r *Reader) Word(value any, at string, words ...string) string {
	text, ok := value.(string)
	if ok && slices.Contains(words, text) {
		return text
	}
	found := KindOf(value)
	if ok {
		found = strconv.Quote(text)
	}
	r.Found(at, "wanted one of %s, found %s", strings.Join(words, ", "), found)
	return ""
}

// Truth reads a boolean.
func (r *Reader) Truth(value any, at string) bool {
	truth, ok := value.(bool)
	if !ok {
		r.Found(at, "wanted true or false, found %s", KindOf(value))
	}
	return truth
}

// Integer reads a whole number between two bounds.
func (r *Reader) Integer(value any, at string, low, high int64) int64 {
	number, ok := value.(int64)
	switch {
	case !ok:
		r.Found(at, "wanted a whole number, found %s", KindOf(value))
		return 0
	case number < low || number > high:
		r.Found(at, "wanted a whole number %s, found %d", boundsText(low, high), number)
		return 0
	}
	return number
}

func boundsText(low, high int64) string {
	switch {
	case high == math.MaxInt64:
		return fmt.Sprintf("of at least %d", low)
	case low == math.MinInt64:
		return fmt.Sprintf("of at most %d", high)
	}
	return fmt.Sprintf("from %d to %d", low, high)
}

// KindOf names the kind of a value, in words for a message.
func KindOf(value any) string {
	switch value.(type) {
	case nil:
		return "nothing"
	case map[string]any:
		return "a mapping"
	case []any:
		return "a list"
	case string:
		return "text"
	case bool:
		return "a boolean"
	}
	return "a number"
}

// Join puts a key to a path.
func Join(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}

// didYouMean names the field that differs in case or in a plural only.
func didYouMean(key string, fields []Field) string {
	plain := func(s string) string { return strings.TrimSuffix(strings.ToLower(s), "s") }
	for _, f := range fields {
		if plain(f.Key) == plain(key) {
			return fmt.Sprintf("; did you mean %s?", f.Key)
		}
	}
	return ""
}
