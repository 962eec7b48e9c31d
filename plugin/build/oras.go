package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry/archive"
)

// TypeORAS is an artifact in an OCI registry that holds the input of another type.
const TypeORAS = "oras"

// orasOptions are the options of a manifest of type oras.
type orasOptions struct {
	reference, target string
	server            serverOptions
	// delegate is what the content of the artifact is: its type and options. Its
	// paths are in the artifact.
	delegate config.Manifest
}

// delegateTypes are the types that an artifact may hold.
func delegateTypes() []Type {
	return []Type{helmType(), helmfileType(), kustomizeType(), yamlType()}
}

func orasType() Type {
	return Type{Type: config.Type{Name: TypeORAS, Block: "oras", PathOptional: true, Read: readORASOptions}, build: buildORAS, charts: chartsOfORAS}
}

func readORASOptions(r config.Reader, block *yaml.Node, at string, m *config.Manifest) {
	o := &orasOptions{delegate: config.Manifest{File: m.File, Line: m.Line}}
	m.Options = o
	if block == nil {
		r.MissingFrom(m, at, "reference")
		return
	}
	hasDelegate := false
	before := r.Findings()
	fields := []config.Field{
		{Key: "reference", Read: func(v *yaml.Node, at string) {
			o.reference = r.Text(v, at)
			if _, err := registry.ParseReference(o.reference); o.reference != "" && err != nil {
				r.Found(v, at, "%v", err)
			}
		}},
		{Key: "target", Read: func(v *yaml.Node, at string) {
			o.target = r.Text(v, at)
			if o.target != "" && !filepath.IsLocal(o.target) {
				r.Found(v, at, "wanted a path in the artifact, found %q", o.target)
			}
		}},
		{Key: "delegate", Read: func(v *yaml.Node, at string) { hasDelegate = true; readDelegate(r, v, at, o) }},
	}
	r.Mapping(block, at, append(fields, serverFields(r, &o.server)...)...)
	m.Wait, m.Timeout, m.DefaultNamespace = o.delegate.Wait, o.delegate.Timeout, o.delegate.DefaultNamespace
	if r.Findings() > before {
		return
	}
	if o.reference == "" {
		r.Missing(block, at, "reference")
	}
	if !hasDelegate {
		r.Missing(block, at, "delegate")
	}
}

// readDelegate reads the type and options of the content. Paths of files among
// them are in the artifact, so they are not joined with a directory yet.
func readDelegate(r config.Reader, n *yaml.Node, at string, o *orasOptions) {
	inside := r
	inside.Dir = "."
	o.delegate.Path = "." // wherever the artifact is unpacked
	blocks := map[string]*yaml.Node{}
	var names []string
	var fields []config.Field
	for _, t := range delegateTypes() {
		names = append(names, t.Name)
		fields = append(fields, config.Field{Key: t.Block, Read: func(v *yaml.Node, _ string) { blocks[t.Block] = v }})
	}
	fields = append(fields, config.Field{Key: "type", Read: func(v *yaml.Node, at string) { o.delegate.Type = r.OneOf(v, at, names...) }})
	before := r.Findings()
	r.Mapping(n, at, fields...)
	if r.Findings() > before {
		return
	}
	if o.delegate.Type == "" {
		r.Missing(n, at, "type")
		return
	}
	for _, t := range delegateTypes() {
		block := blocks[t.Block]
		switch {
		case t.Name == o.delegate.Type:
			t.Read(inside, block, at+"."+t.Block, &o.delegate)
		case block != nil:
			r.Found(block, at+"."+t.Block, "these options belong to type %s, but the delegate has type %s", t.Name, o.delegate.Type)
		}
	}
}

// buildORAS pulls the artifact, unpacks it for as long as the build takes, and
// builds what it holds.
func buildORAS(ctx context.Context, b Builder, m Manifest) (all content, err error) {
	err = unpacked(ctx, b, m, func(o *orasOptions, inner Manifest, dir string) error {
		all, err = inner.typed(ctx, b)
		o.rename(&all, dir)
		return err
	})
	return all, err
}

// unpacked pulls the artifact of a manifest and unpacks it for as long as use takes,
// which is given what it holds as a manifest.
func unpacked(ctx context.Context, b Builder, m Manifest, use func(o *orasOptions, inner Manifest, dir string) error) (err error) {
	o, ok := m.Options.(*orasOptions)
	if !ok {
		return errors.New("there are no options of type oras")
	}
	dir, err := os.MkdirTemp(b.TempDir, "kubectl-tazuna-")
	if err != nil {
		return fmt.Errorf("unpack %s: %w", o.reference, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := o.unpack(ctx, b, dir); err != nil {
		return err
	}
	if err := use(o, o.inner(m, dir), dir); err != nil {
		return errors.New(o.named(err.Error(), dir))
	}
	return nil
}

// rename names the artifact where the directory stands that it was unpacked in.
func (o *orasOptions) rename(all *content, dir string) {
	for i := range all.Objects {
		all.Objects[i].Origin.File = o.named(all.Objects[i].Origin.File, dir)
	}
	for i := range all.Warnings {
		all.Warnings[i].Origin.File = o.named(all.Warnings[i].Origin.File, dir)
		all.Warnings[i].Text = o.named(all.Warnings[i].Text, dir)
	}
}

func (o *orasOptions) unpack(ctx context.Context, b Builder, dir string) error {
	ref, err := registry.ParseReference(o.reference)
	if err != nil {
		return err
	}
	options := b.Registry
	username, password, err := o.server.credentials(b.LookupEnv)
	if err != nil {
		return err
	}
	if username != "" || password != "" {
		options.Credentials = registry.Credentials{Host: ref.Host, Username: username, Password: password}
	}
	if o.server.caFile != "" {
		options.CAFile = o.server.caFile
	}
	options.Insecure = options.Insecure || o.server.insecure
	options.PlainHTTP = options.PlainHTTP || o.server.plainHTTP
	client, err := registry.New(options)
	if err != nil {
		return err
	}
	artifact, err := client.Pull(ctx, ref)
	if err != nil {
		return err
	}
	return errors.Join(artifact.ExtractInto(ctx, dir, archive.DefaultLimits()), artifact.Close())
}

// inner is the manifest that the unpacked artifact is. Nothing of it may be read
// from outside of it.
func (o *orasOptions) inner(m Manifest, dir string) Manifest {
	inner := FromConfig(o.delegate)
	inner.Name, inner.AllowEmpty, inner.Within = m.Name, m.AllowEmpty, dir
	inner.Path = filepath.Join(dir, o.target)
	return inner
}

// typed builds the content of an unpacked artifact.
func (m Manifest) typed(ctx context.Context, b Builder) (content, error) {
	for _, t := range delegateTypes() {
		if t.Name == m.Type {
			return t.build(ctx, b, m)
		}
	}
	return content{}, fmt.Errorf("the delegate has the unknown type %s", m.Type)
}

// named puts the reference into a text in the place of the directory.
func (o *orasOptions) named(text, dir string) string {
	return strings.NewReplacer(dir+"/", o.reference+"//", dir, o.reference).Replace(text)
}
