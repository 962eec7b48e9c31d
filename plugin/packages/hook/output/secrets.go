package output

import (
	"regexp"
	"strconv"
	"strings"
)

// Bodies lists what operations carry as objects, so that object.Scrub can keep
// their secrets out of texts. What patches put into a Secret stands in as Secrets.
func Bodies(operations []Operation) []map[string]any {
	var bodies []map[string]any
	for _, o := range operations {
		switch {
		case o.Object != nil:
			bodies = append(bodies, o.Object)
		case isSecret(o):
			bodies = append(bodies, SecretOf(carried(o)))
		}
	}
	return bodies
}

var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// carried is all that a patch could put into its object.
func carried(o Operation) any {
	var all []any
	for _, step := range o.JSONPatch {
		all = append(all, step.Value)
	}
	if o.MergePatch != nil {
		all = append(all, o.MergePatch)
	}
	if o.JQ != nil {
		for _, text := range quoted.FindAllString(o.JQ.String(), -1) {
			if inner, err := strconv.Unquote(text); err == nil {
				all = append(all, inner)
			}
		}
	}
	return all
}

// SecretOf makes a Secret of every text in a value.
func SecretOf(value any) map[string]any {
	data := map[string]any{}
	texts(value, data)
	return map[string]any{"apiVersion": "v1", "kind": "Secret", "stringData": data}
}

func texts(value any, into map[string]any) {
	switch v := value.(type) {
	case string:
		into[strconv.Itoa(len(into))] = v
	case []any:
		for _, item := range v {
			texts(item, into)
		}
	case map[string]any:
		for _, item := range v {
			texts(item, into)
		}
	}
}

func isSecret(o Operation) bool { return IsSecret(o.Kind) }

// IsSecret tells whether a kind is Secret, in any of the spellings that hooks use.
func IsSecret(kind string) bool {
	switch strings.ToLower(kind) {
	case "secret", "secrets":
		return true
	}
	return false
}
