package build

import (
	"context"
	"errors"
	"io"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/genesis"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
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
	// Within, if set, is a directory that nothing of the manifest may be read
	// outside of: that of an artifact somebody else made.
	Within string
}

// Type is a manifest type: how its options are read, and how it is built. To add one
// is a file with a function that gives it, and a line in Types.
type Type struct {
	config.Type
	// build gives the objects in the order of the source.
	build func(ctx context.Context, b Builder, m Manifest) (content, error)
	// charts lists the charts of a manifest, of a type that renders any; else nil.
	charts func(ctx context.Context, b Builder, m Manifest) ([]ChartUse, error)
}

// Types lists what can be built. It is the only place that names all types.
func Types() []Type {
	return []Type{
		genesisType(),
		helmType(),
		helmfileType(),
		kustomizeType(),
		orasType(),
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

// HasReleases reports whether manifests of a type can render charts.
func HasReleases(name string) bool {
	t, known := typeNamed(name)
	return known && t.charts != nil
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
	// Releases are the charts among it, with the objects that are hooks.
	Releases []Release
	// Text is what the manifest prints once it is applied; it is secret.
	Text string
	// AlwaysSync says that the source decides on every run, whatever was recorded.
	AlwaysSync bool
	// Claimed are the Objects that an earlier manifest has too, with another content, and
	// where: they are that one's. Finish fills it in.
	Claimed map[object.Ref]Place
}

// Disputes are the errors of Claimed, in the order of the objects: for those who can't
// leave it to a plan to refuse them.
func (r Result) Disputes() error {
	var all []error
	for _, o := range r.Objects {
		if first, ok := r.Claimed[o.Ref()]; ok {
			all = append(all, &DuplicateError{Ref: o.Ref(), First: first, Second: Place{r.Manifest, o}})
		}
	}
	return errors.Join(all...)
}

// Add puts another part of the same manifest behind it.
func (r *Result) Add(part Result) {
	r.Objects = append(r.Objects, part.Objects...)
	r.Warnings = append(r.Warnings, part.Warnings...)
	r.Rules = r.Rules.With(part.Rules)
	r.Releases = append(r.Releases, part.Releases...)
	r.Text += part.Text
	r.AlwaysSync = r.AlwaysSync || part.AlwaysSync
}

// Release is a chart that a manifest renders.
type Release struct {
	// Name and Namespace are those that the chart saw. Namespace is where its
	// objects go that name none; empty for that of the run.
	Name, Namespace string
	// Hooks are objects that exist for an event only.
	Hooks []chart.Hook
	// Objects are the identities of its other objects; Namespace is empty where
	// the chart and the release name none.
	Objects []object.Ref
}

// Cluster is what charts can ask about the cluster that they are rendered for.
type Cluster interface {
	// Capabilities says what the cluster serves.
	Capabilities(ctx context.Context) (chart.Capabilities, error)
	// Lookup finds objects for templates, as chart.LookupFunc.
	Lookup(ctx context.Context, apiVersion, kind, namespace, name string) (map[string]any, error)
}

// Builder builds manifests. The zero value works for files of this machine: it has
// no standard input, no provider, no cluster and no cache.
// Building two kustomizations at the same time with one or two Builders is not
// safe: kustomize keeps its schema in a global variable.
type Builder struct {
	// Stdin is what the path "-" reads.
	Stdin io.Reader
	// Environment is the one that was asked for; templates of a helmfile see
	// "default" where it is empty.
	Environment string
	// Namespace is where objects go that no manifest has a namespace for: charts
	// see it as that of their release. Empty is "default".
	Namespace string
	// Lenient makes warnings of unknown fields in the files of a manifest.
	Lenient bool
	// LookupEnv reads the environment; nil has none.
	LookupEnv func(name string) (string, bool)
	// Providers give the values of generated Secrets; nil is 1Password alone,
	// which is told that there is no op.
	Providers *genesis.Providers
	// Unresolved leaves values of generated Secrets out: providers are checked and
	// not asked.
	Unresolved bool
	// Registry says how registries and chart repositories are reached.
	Registry registry.Options
	// Cluster is what charts are rendered for; nil is none.
	Cluster Cluster
	// Remote lets kustomize fetch remote files and bases, as it does by itself: with
	// HTTP, and the program git.
	Remote bool
	// TempDir is where artifacts are unpacked; empty: the system's.
	TempDir string
}

// providers gives what values are asked from.
func (b Builder) providers() *genesis.Providers {
	if b.Providers != nil {
		return b.Providers
	}
	return genesis.NewProviders(nil, func(context.Context, string, ...string) ([]byte, error) {
		return nil, errors.New("programs can't be started here")
	})
}
