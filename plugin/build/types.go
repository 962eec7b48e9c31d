package build

import (
	"context"
	"io"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Manifest says what to build.
type Manifest struct {
	// Name is the manifest's name; empty for files that were given without one.
	Name string
	// Type is the name of one of Types.
	Type string
	// Path is a file, a directory, or "-" for the builder's standard input.
	Path string
	// DefaultNamespace is for namespaced objects without a namespace. Empty:
	// Finish uses the one it is given.
	DefaultNamespace string
	// Recursive reads the subdirectories of a directory too.
	Recursive bool
	// AllowEmpty makes a manifest without objects no error.
	AllowEmpty bool
	// Inline is content that was read elsewhere, in the place of a file; Path is
	// then only the name for messages. Read once.
	Inline io.Reader
	// Options are the options of the manifest's type beyond the fields above.
	Options any
}

// Type is a manifest type: how its options are read, and how it is built.
type Type struct {
	config.Type
	// build gives the objects in the order of the source.
	build func(ctx context.Context, b Builder, m Manifest) (content, error)
}

// Types lists what can be built. It is the only place that names all types.
func Types() []Type {
	return []Type{
		kustomizeType(),
		yamlType(),
	}
}

// ConfigTypes gives what config.LoadOptions wants to know of Types.
func ConfigTypes() []config.Type {
	var all []config.Type
	for _, t := range Types() {
		all = append(all, t.Type)
	}
	return all
}

// typeNamed finds a type by its name.
func typeNamed(name string) (Type, bool) {
	for _, t := range Types() {
		if t.Name == name {
			return t, true
		}
	}
	return Type{}, false
}

// FromConfig gives the Manifest for an entry of a tazuna.yaml.
func FromConfig(m config.Manifest) Manifest {
	return Manifest{
		Name: m.Name, Type: m.Type, Path: m.Path,
		DefaultNamespace: m.DefaultNamespace, Recursive: m.Recursive, Options: m.Options,
	}
}

// Result is what a manifest builds.
type Result struct {
	// Manifest is the name of the manifest.
	Manifest string
	// DefaultNamespace is the manifest's own; it wins over the one that Finish
	// is given. Finish fills it in where it is empty.
	DefaultNamespace string
	// Objects are in the order of the source.
	Objects []object.Object
	// Rules are the kapp configuration that stood among the objects.
	Rules config.KappConfig
	// Warnings are for the user, in the order of the source.
	Warnings []object.Warning
}

// Builder builds manifests. The zero value works, but has no standard input.
// Building two kustomizations at the same time with one or two Builders is not
// safe: kustomize keeps its schema in a global variable.
type Builder struct {
	// Stdin is what the path "-" reads.
	Stdin io.Reader
}
