package object

import (
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// add checks that body can be named and adds it.
func (r *reading) add(body map[string]any, n *yaml.Node) {
	before := len(r.findings)
	c := identityCheck{reading: r, body: body, node: n}
	c.apiVersion()
	c.text("kind")
	c.metadata()
	if len(r.findings) == before {
		r.objects = append(r.objects, Object{Body: body, Origin: r.origin(n)})
	}
}

// identityCheck looks for what keeps an object from being named.
type identityCheck struct {
	*reading
	body map[string]any
	node *yaml.Node
}

// refuse adds a finding at the field, or at the object if there is no field.
func (c identityCheck) refuse(path []string, text string, args ...any) {
	n := nodeAt(c.node, path...)
	if n == nil {
		n = c.node
	}
	if kind, ok := c.body["kind"].(string); ok && kind != "" {
		text = strings.ReplaceAll(kind, "%", "%%") + ": " + text
	}
	c.fault(n, keyPath(path), text, args...)
}

// text reads a field that must be a text with something in it.
func (c identityCheck) text(path ...string) (string, bool) {
	value := field(c.body, path...)
	text, ok := value.(string)
	switch {
	case value == nil || ok && text == "":
		c.refuse(path, "%s is missing", keyPath(path))
		return "", false
	case !ok:
		c.refuse(path, "%s must be text, found %s; quote it", keyPath(path), typeName(value))
		return "", false
	}
	return text, true
}

func (c identityCheck) apiVersion() {
	text, ok := c.text("apiVersion")
	if !ok {
		return
	}
	group, version, found := strings.Cut(text, "/")
	if found && (group == "" || version == "" || strings.Contains(version, "/")) {
		c.refuse([]string{"apiVersion"}, "apiVersion must be VERSION or GROUP/VERSION")
	}
}

func (c identityCheck) metadata() {
	value := c.body["metadata"]
	metadata, ok := value.(map[string]any)
	if !ok && value != nil {
		c.refuse([]string{"metadata"}, "metadata must be a mapping, found %s", typeName(value))
		return
	}
	c.name(metadata)
	if namespace := metadata["namespace"]; namespace != nil {
		if _, ok := namespace.(string); !ok {
			c.refuse([]string{"metadata", "namespace"}, "metadata.namespace must be text, found %s; quote it", typeName(namespace))
		}
	}
	c.texts(metadata, "labels")
	c.texts(metadata, "annotations")
}

func (c identityCheck) name(metadata map[string]any) {
	name := metadata["name"]
	if metadata["generateName"] != nil && (name == nil || name == "") {
		c.refuse([]string{"metadata", "generateName"},
			"an object with generateName can't be applied or tracked, each run would make another one; give metadata.name")
		return
	}
	c.text("metadata", "name")
}

// texts checks labels and annotations: the server takes nothing but texts, and
// its own message about a number names neither file nor key.
func (c identityCheck) texts(metadata map[string]any, key string) {
	value := metadata[key]
	if value == nil {
		return
	}
	path := []string{"metadata", key}
	m, ok := value.(map[string]any)
	if !ok {
		c.refuse(path, "metadata.%s must be a mapping, found %s", key, typeName(value))
		return
	}
	for _, name := range sortedKeys(m) {
		if _, ok := m[name].(string); !ok && m[name] != nil {
			c.refuse(append(path, name), "the value must be text, found %s; quote it", typeName(m[name]))
		}
	}
}
