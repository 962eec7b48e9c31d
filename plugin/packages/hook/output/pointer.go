package output

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// pointer is a JSON pointer (RFC 6901), taken apart. The empty one means the whole.
type pointer []string

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

func parsePointer(text string) (pointer, error) {
	if text == "" {
		return nil, nil
	}
	if text[0] != '/' {
		return nil, errors.New("wanted a path that begins with /")
	}
	for i := range len(text) {
		if text[i] == '~' && (i+1 == len(text) || text[i+1] != '0' && text[i+1] != '1') {
			return nil, errors.New("a ~ in a path is written ~0, a / in a key ~1")
		}
	}
	var p pointer
	for token := range strings.SplitSeq(text[1:], "/") {
		p = append(p, unescape.Replace(token))
	}
	return p, nil
}

// String is the pointer as text.
func (p pointer) String() string {
	var b strings.Builder
	for _, token := range p {
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1"))
	}
	return b.String()
}

// within tells whether p is q or lies below it.
func (p pointer) within(q pointer) bool {
	if len(p) < len(q) {
		return false
	}
	for i := range q {
		if p[i] != q[i] {
			return false
		}
	}
	return true
}

// mayIndex tells whether a part of the path could be a place in a list.
func (p pointer) mayIndex() bool {
	for _, token := range p {
		if _, err := strconv.ParseUint(token, 10, 64); err == nil || token == endOfList {
			return true
		}
	}
	return false
}

// endOfList is the place after the last element.
const endOfList = "-"

// absentError says that a path leads nowhere.
type absentError struct{ path pointer }

// Error names the part of the path that is not there.
func (e *absentError) Error() string { return fmt.Sprintf("there is no %s", e.path) }

// get finds the value at a path.
func get(value any, p pointer) (any, error) {
	for i, token := range p {
		switch v := value.(type) {
		case map[string]any:
			next, ok := v[token]
			if !ok {
				return nil, &absentError{p[:i+1]}
			}
			value = next
		case []any:
			at, err := index(token, len(v)-1)
			if err != nil {
				return nil, &absentError{p[:i+1]}
			}
			value = v[at]
		default:
			return nil, &absentError{p[:i+1]}
		}
	}
	return value, nil
}

// index reads a place in a list, 0 to most.
func index(token string, most int) (int, error) {
	at, err := strconv.Atoi(token)
	if err != nil || at < 0 || at > most || strconv.Itoa(at) != token {
		return 0, errors.New("no such place")
	}
	return at, nil
}

// change gives a copy of value in which the parent of the last token is what edit
// makes of it. Only what lies on the path is copied.
func change(value any, p, whole pointer, edit func(parent any, token string) (any, error)) (any, error) {
	if len(p) == 1 {
		return edit(value, p[0])
	}
	here := whole[:len(whole)-len(p)+1]
	switch v := value.(type) {
	case map[string]any:
		child, ok := v[p[0]]
		if !ok {
			return nil, &absentError{here}
		}
		next, err := change(child, p[1:], whole, edit)
		if err != nil {
			return nil, err
		}
		return with(v, p[0], next), nil
	case []any:
		at, err := index(p[0], len(v)-1)
		if err != nil {
			return nil, &absentError{here}
		}
		next, err := change(v[at], p[1:], whole, edit)
		if err != nil {
			return nil, err
		}
		out := append([]any(nil), v...)
		out[at] = next
		return out, nil
	}
	return nil, &absentError{here}
}

func with(m map[string]any, key string, value any) map[string]any {
	out := make(map[string]any, len(m)+1)
	for k, v := range m {
		out[k] = v
	}
	out[key] = value
	return out
}

func without(m map[string]any, key string) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		if k != key {
			out[k] = v
		}
	}
	return out
}
