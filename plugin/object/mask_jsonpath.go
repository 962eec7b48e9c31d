package object

import (
	"strconv"
	"strings"
)

// parseJSONPaths reads a comma-separated list of simple JSON paths, as in
// "$.spec.env[*].value,$.data['a.b']"; a comma inside a path is written "\,".
// ok is false if any of them is not understood (filters, "..", slices).
func parseJSONPaths(list string) (paths []Path, ok bool) {
	const comma = "\x00"
	for _, text := range strings.Split(strings.ReplaceAll(list, `\,`, comma), ",") {
		text = strings.TrimSpace(strings.ReplaceAll(text, comma, ","))
		if text == "" {
			continue
		}
		path, ok := parseJSONPath(text)
		if !ok {
			return nil, false
		}
		paths = append(paths, path)
	}
	return paths, len(paths) > 0
}

func parseJSONPath(text string) (Path, bool) {
	rest := strings.TrimPrefix(text, "$")
	if rest == text && !strings.HasPrefix(text, ".") {
		rest = "." + text
	}
	var path Path
	for rest != "" {
		element, left, ok := nextElement(rest)
		if !ok {
			return nil, false
		}
		path, rest = append(path, element), left
	}
	return path, len(path) > 0
}

// nextElement takes ".key", "['key']", "[\"key\"]", "[0]" or "[*]" off the front.
func nextElement(text string) (element, rest string, ok bool) {
	if name, found := strings.CutPrefix(text, "."); found {
		end := strings.IndexAny(name, ".[")
		if end < 0 {
			end = len(name)
		}
		return name[:end], name[end:], end > 0 && plainName(name[:end])
	}
	if inner, found := strings.CutPrefix(text, "["); found {
		return bracketElement(inner)
	}
	return "", "", false
}

func bracketElement(inner string) (element, rest string, ok bool) {
	if inner != "" && (inner[0] == '\'' || inner[0] == '"') {
		quote := inner[:1]
		key, after, found := strings.Cut(inner[1:], quote)
		rest, closed := strings.CutPrefix(after, "]")
		return key, rest, found && closed && key != "" && plainName(key)
	}
	element, rest, found := strings.Cut(inner, "]")
	if element != "*" {
		if index, err := strconv.Atoi(element); err != nil || index < 0 {
			return "", "", false
		}
	}
	return element, rest, found
}

// plainName refuses what would mean something else in a Path or is a filter.
func plainName(name string) bool {
	return name == "*" || !strings.ContainsAny(name, `*?@()'"\`)
}
