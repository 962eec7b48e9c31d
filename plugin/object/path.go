package object

import (
	"strconv"
	"strings"
)

// Path leads to values inside a body. An element is a key of a mapping or the
// index of a list item; "*" stands for all of them and "abc*" for every key
// that starts with abc. An element that fits a mapping only goes through all
// items of a list, so {"containers", "env"} is {"containers", "*", "env"}.
type Path []string

// matches tells whether one element stands for this key.
func matches(element, key string) bool {
	if prefix, ok := strings.CutSuffix(element, "*"); ok {
		return strings.HasPrefix(key, prefix)
	}
	return element == key
}

// listStep tells what an element means for a list: the index, or all items
// (index -1), and whether the element is used up by it.
func listStep(element string) (index int, consumed bool) {
	if element == "*" {
		return -1, true
	}
	if i, err := strconv.Atoi(element); err == nil && i >= 0 {
		return i, true
	}
	return -1, false
}

// rewrite returns a copy in which change has been applied to what the path
// leads to. Everything off the path is shared with value.
func rewrite(value any, path Path, change func(any) any) any {
	if len(path) == 0 {
		return change(value)
	}
	switch v := value.(type) {
	case map[string]any:
		out := shallow(v)
		for key, item := range v {
			if matches(path[0], key) {
				out[key] = rewrite(item, path[1:], change)
			}
		}
		return out
	case []any:
		index, consumed := listStep(path[0])
		rest := path
		if consumed {
			rest = path[1:]
		}
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = item
			if index < 0 || index == i {
				out[i] = rewrite(item, rest, change)
			}
		}
		return out
	default:
		return value
	}
}
