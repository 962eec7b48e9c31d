package object

import (
	"strings"
)

// publicNames lists what everybody who sees an object's name may see: names,
// namespaces, kinds, groups and the keys of values.
func publicNames(bodies []map[string]any) []string {
	var names []string
	add := func(v any) {
		if text, ok := v.(string); ok && len(text) >= shortestRun {
			names = append(names, text)
		}
	}
	for _, body := range bodies {
		meta, _ := body["metadata"].(map[string]any)
		add(meta["name"])
		add(meta["namespace"])
		add(body["kind"])
		if version, ok := body["apiVersion"].(string); ok {
			group, _, _ := strings.Cut(version, "/")
			add(group)
		}
		for _, field := range []string{"data", "stringData"} {
			values, _ := body[field].(map[string]any)
			for key := range values {
				add(key)
			}
		}
	}
	return names
}

// showNames makes names visible again of which pieces occur in a secret. Where more
// than the name is hidden, it is the secret that stands there.
func showNames(text string, names []string, hidden []bool) {
	for _, name := range names {
		for from := 0; ; {
			i := strings.Index(text[from:], name)
			if i < 0 {
				break
			}
			start, end := from+i, from+i+len(name)
			if isName(text, start, end) && (start == 0 || !hidden[start-1]) && (end == len(text) || !hidden[end]) {
				for at := start; at < end; at++ {
					hidden[at] = false
				}
			}
			from = start + 1
		}
	}
}

// isName reports whether a name stands there by itself.
func isName(text string, from, to int) bool {
	return (from == 0 || !isNameByte(text[from-1])) && (to == len(text) || !isNameByte(text[to]))
}

func isNameByte(c byte) bool {
	return isLetter(c) || '0' <= c && c <= '9' || c == '-' || c == '+' || c == '='
}
