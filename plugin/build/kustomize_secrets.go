package build

import (
	"os"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// keep remembers the values of a Secret.
func (r *reading) keep(body map[string]any) {
	if body["kind"] == "Secret" {
		r.secrets = append(r.secrets, body)
	}
}

// keepSecrets remembers a document that is a Secret, or the Secrets in a List.
func (r *reading) keepSecrets(root *yaml.Node) {
	var body map[string]any
	if root.Decode(&body) != nil {
		return
	}
	r.keep(body)
	items, _ := body["items"].([]any)
	for _, item := range items {
		if body, ok := item.(map[string]any); ok {
			r.keep(body)
		}
	}
}

// patchSecrets remembers the Secrets of an inline patch.
func (r *reading) patchSecrets(text string) {
	roots, err := documentRoots([]byte(text))
	if err != nil {
		return // kustomize has the message
	}
	for _, root := range roots {
		r.keepSecrets(root)
	}
}

// secret remembers what a secretGenerator puts into its Secret.
func (k kustomization) secret(n *yaml.Node) {
	values := words{}
	entries(n, func(key, value *yaml.Node) {
		read := func(c *yaml.Node) {
			switch folded(key.Value) {
			case "literals":
				values.pair(c.Value)
			case "files", "env", "envs":
				k.secretFile(c.Value, values)
			}
		}
		read(value)
		each(value, read)
	})
	k.keep(map[string]any{"apiVersion": "v1", "kind": "Secret", "stringData": map[string]any(values)})
}

// secretFile adds the content of a generator's file, as a whole and by its lines,
// since the error about an env file quotes a line.
func (k kustomization) secretFile(entry string, values words) {
	if _, path, keyed := strings.Cut(entry, "="); keyed {
		entry = path
	}
	data, err := os.ReadFile(k.join(entry))
	if entry == "" || err != nil {
		return
	}
	values.add(string(data))
	for line := range strings.Lines(string(data)) {
		values.pair(strings.TrimSpace(line))
	}
}

// words are secret values under keys that don't matter.
type words map[string]any

func (w words) add(text string) {
	if text != "" {
		w[strconv.Itoa(len(w))] = text
	}
}

// pair adds KEY=VALUE and the value alone: messages quote either.
func (w words) pair(text string) {
	w.add(text)
	_, value, _ := strings.Cut(text, "=")
	w.add(value)
}
