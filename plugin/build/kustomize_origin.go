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

// origin is where an object of kustomize's output was written: the source of the
// same kind whose name is in the object's name, the longest if there are several,
// since kustomize adds to names. Objects of generators, and those that can't be
// told apart, get the kustomization.
func (r *reading) origin(o object.Object) object.Origin {
	var best source
	equals := 0
	for _, s := range r.sources {
		if s.kind != o.Ref().GroupKind() || !strings.Contains(o.Name(), s.name) {
			continue
		}
		switch {
		case len(s.name) > len(best.name):
			best, equals = s, 1
		case len(s.name) == len(best.name):
			equals++
		}
	}
	if equals != 1 {
		return object.Origin{File: r.file}
	}
	return best.origin
}
