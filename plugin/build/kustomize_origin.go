package build

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// source is an object as a resource file has it.
type source struct {
	kind   schema.GroupKind
	name   string
	origin object.Origin
}

// source notes the object of a document, or the items of a List.
func (r *reading) source(root *yaml.Node, at object.Origin) {
	var s source
	entries(root, func(key, value *yaml.Node) {
		switch key.Value {
		case "apiVersion":
			version, err := schema.ParseGroupVersion(value.Value)
			if err == nil {
				s.kind.Group = version.Group
			}
		case "kind":
			s.kind.Kind = value.Value
		case "metadata":
			entries(value, func(key, value *yaml.Node) {
				if key.Value == "name" {
					s.name = value.Value
				}
			})
		case "items":
			each(value, func(item *yaml.Node) { r.source(item, at) })
		}
	})
	at.Line = root.Line
	s.origin = at
	if s.name != "" && s.kind.Kind != "" {
		r.sources = append(r.sources, s)
	}
}

// origin is where an object of kustomize's output was written: the only source of
// its kind that has its name without the prefixes and suffixes in use. Objects of
// generators, and those that can't be told apart, get the kustomization: a wrong
// place would be worse than a vague one.
func (r *reading) origin(o object.Object) object.Origin {
	names := map[string]bool{}
	r.bare(o.Name(), names)
	at, found := object.Origin{File: r.file}, 0
	for _, s := range r.sources {
		if s.kind == o.Ref().GroupKind() && names[s.name] {
			at = s.origin
			found++
		}
	}
	if found != 1 {
		return object.Origin{File: r.file}
	}
	return at
}

// bare collects what a name may have been before kustomize added to it.
func (r *reading) bare(name string, names map[string]bool) {
	if name == "" || names[name] {
		return
	}
	names[name] = true
	for _, prefix := range r.prefixes {
		r.bare(strings.TrimPrefix(name, prefix), names)
	}
	for _, suffix := range r.suffixes {
		r.bare(strings.TrimSuffix(name, suffix), names)
	}
}
