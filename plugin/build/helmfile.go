package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/build/helmfile"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// TypeHelmfile is a helmfile, of which repositories and releases are understood.
const TypeHelmfile = "helmfile"

// releasesAtOnce is how many releases are fetched and rendered side by side.
const releasesAtOnce = 4

// helmfileOptions are the options of a manifest of type helmfile.
type helmfileOptions struct {
	vars            []helmfile.Var
	includeCRDs     bool
	extraValueFiles []string
	kubeVersion     string
}

func helmfileType() Type {
	return Type{Type: config.Type{Name: TypeHelmfile, Block: "helmfile", Read: readHelmfileOptions}, build: buildHelmfile, charts: chartsOfHelmfile}
}

func readHelmfileOptions(r config.Reader, block *yaml.Node, at string, m *config.Manifest) {
	o := &helmfileOptions{}
	m.Options = o
	if block == nil {
		return
	}
	r.Mapping(block, at,
		config.Field{Key: "vars", Read: func(v *yaml.Node, at string) { o.vars = helmfile.ReadVars(r, v, at) }},
		config.Field{Key: "includeCRDs", Read: func(v *yaml.Node, at string) { o.includeCRDs = r.Bool(v, at) }},
		config.Field{Key: "defaultNamespace", Read: func(v *yaml.Node, at string) { m.DefaultNamespace = r.Namespace(v, at) }},
		config.Field{Key: "extraValueFiles", Read: func(v *yaml.Node, at string) { o.extraValueFiles = r.Texts(v, at) }},
		config.Field{Key: "wait", Read: func(v *yaml.Node, at string) { m.Wait = r.Bool(v, at) }},
		config.Field{Key: "timeoutSeconds", Read: func(v *yaml.Node, at string) { m.Timeout = r.Seconds(v, at) }},
		config.Field{Key: "kubeVersion", Read: func(v *yaml.Node, at string) { o.kubeVersion = r.Text(v, at) }},
	)
}

// buildHelmfile reads the helmfile and renders its releases.
func buildHelmfile(ctx context.Context, b Builder, m Manifest) (content, error) {
	o, file, err := b.readHelmfile(ctx, m)
	if err != nil {
		return content{}, err
	}
	all, err := b.releases(ctx, o, m, file)
	for _, w := range file.Warnings {
		all.Warnings = append(all.Warnings, object.Warning{
			Origin: object.Origin{File: w.File, Line: w.Line}, Text: w.Field + ": " + w.Text,
		})
	}
	return all, err
}

// readHelmfile reads the file of a manifest with its variables.
func (b Builder) readHelmfile(ctx context.Context, m Manifest) (*helmfileOptions, *helmfile.File, error) {
	o, ok := m.Options.(*helmfileOptions)
	if !ok {
		o = &helmfileOptions{}
	}
	path, err := helmfilePath(m.Path)
	if err != nil {
		return nil, nil, err
	}
	text, err := readWithin(m.Within, path)
	if err != nil {
		return nil, nil, err
	}
	values, err := b.helmfileVars(ctx, o, m, path)
	if err != nil {
		return nil, nil, err
	}
	file, err := helmfile.Parse(text, path, helmfile.Options{Environment: b.Environment, Lenient: b.Lenient, Vars: values})
	return o, file, err
}

// helmfileVars gets the variables and holds them against the hint file, if there
// is one beside the helmfile.
func (b Builder) helmfileVars(ctx context.Context, o *helmfileOptions, m Manifest, path string) (helmfile.Values, error) {
	given := helmfile.Values{}
	for _, v := range o.vars {
		value, err := b.helmfileVar(ctx, v)
		if err != nil {
			return given, fmt.Errorf("var %s: %w", v.Name, err)
		}
		given.Set(v.Name, value, v.Secret())
	}
	hintPath := filepath.Join(filepath.Dir(path), helmfile.HintFile)
	text, err := readWithin(m.Within, hintPath)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return given, nil
	case err != nil:
		return given, err
	}
	hint, err := helmfile.ParseHint(text, hintPath, b.Lenient)
	if err != nil {
		return given, err
	}
	return hint.Complete(given)
}

// helmfileVar gets the value of one variable.
func (b Builder) helmfileVar(ctx context.Context, v helmfile.Var) (any, error) {
	switch {
	case v.Env != "":
		return environment(b.LookupEnv, v.Env)
	case v.OnePassword == nil:
		return v.Static, nil
	case b.Unresolved:
		return "", nil
	}
	op := v.OnePassword
	return b.providers().OnePasswordField(ctx, op.Vault, op.Item, op.Field, op.Label)
}

// helmfilePath finds the file in a directory.
func helmfilePath(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return path, err
	}
	for _, name := range helmfile.Names() {
		if _, err := os.Stat(filepath.Join(path, name)); err == nil {
			return filepath.Join(path, name), nil
		}
	}
	return "", fmt.Errorf("%s has no helmfile: wanted one of %v", path, helmfile.Names())
}

// releases renders the releases side by side and puts them in their order.
func (b Builder) releases(ctx context.Context, o *helmfileOptions, m Manifest, file *helmfile.File) (content, error) {
	parts := make([]content, len(file.Releases))
	errs := make([]error, len(file.Releases))
	var group errgroup.Group
	group.SetLimit(releasesAtOnce)
	for i, r := range file.Releases {
		group.Go(func() error {
			parts[i], errs[i] = b.helmfileRelease(ctx, o, m, file, r)
			if errs[i] != nil {
				errs[i] = fmt.Errorf("%s:%d: release %s: %w", file.Path, r.Line, r.Name, discreet(errs[i], file.Secrets))
			}
			return nil
		})
	}
	_ = group.Wait() // every release has an error of its own
	var all content
	for _, part := range parts {
		part.Objects = withoutKnownCRDs(all.Objects, part.Objects)
		all.add(part)
	}
	return all, errors.Join(errs...)
}

// withoutKnownCRDs leaves out the CustomResourceDefinitions that an earlier release
// brought in the same words: two releases of one chart have the same ones.
func withoutKnownCRDs(known, objects []object.Object) []object.Object {
	return slices.DeleteFunc(objects, func(o object.Object) bool {
		_, _, isCRD := defines(o)
		return isCRD && slices.ContainsFunc(known, func(k object.Object) bool {
			return k.Ref() == o.Ref() && object.Equal(k.Body, o.Body)
		})
	})
}

func (b Builder) helmfileRelease(ctx context.Context, o *helmfileOptions, m Manifest, file *helmfile.File, r helmfile.Release) (content, error) {
	dir := filepath.Dir(file.Path)
	source, err := file.Source(r)
	if err != nil {
		return content{}, err
	}
	if source.Path != "" {
		source.Within = m.Within
	}
	values := r.Values
	for _, extra := range o.extraValueFiles {
		values = append(values, helmfile.ValuesOf{File: extra})
	}
	all := map[string]any{}
	for _, v := range values {
		if all, err = v.Merge(all, dir, func(path string) ([]byte, error) { return readWithin(m.Within, path) }); err != nil {
			return content{}, err
		}
	}
	home := r.Namespace
	if home == "" {
		home = m.DefaultNamespace
	}
	return b.render(ctx, release{
		name: r.Name, namespace: home, source: source, values: all,
		includeCRDs: o.includeCRDs, kubeVersion: o.kubeVersion,
	})
}
