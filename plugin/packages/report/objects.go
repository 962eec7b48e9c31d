package report

import "strings"

// Objects is a list of objects as kubectl reads it.
type Objects struct {
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"`
	Items      []map[string]any `json:"items"`
}

// NewObjects is an empty list.
func NewObjects() *Objects {
	return &Objects{APIVersion: "v1", Kind: "List", Items: []map[string]any{}}
}

// Names lists the objects as kind.group/name, for -o name.
func (l *Objects) Names() []string {
	names := make([]string, len(l.Items))
	for i, body := range l.Items {
		version, _ := body["apiVersion"].(string)
		kind, _ := body["kind"].(string)
		metadata, _ := body["metadata"].(map[string]any)
		name, _ := metadata["name"].(string)
		if group, _, grouped := strings.Cut(version, "/"); grouped {
			kind += "." + group
		}
		names[i] = strings.ToLower(kind) + "/" + name
	}
	return names
}
