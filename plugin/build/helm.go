package build

import (
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/build/charts"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// TypeHelm is one release of a Helm chart.
const TypeHelm = "helm"

// helmOptions are the options of a manifest of type helm.
type helmOptions struct {
	chart, repository, version string
	release, namespace         string
	valueFiles                 []string
	// values is YAML text, so that it is read just as a values file is.
	values      []byte
	valuesAt    string
	skipCRDs    bool
	makesHome   bool
	kubeVersion string
	apiVersions []string
	server      serverOptions
}

func helmType() Type {
	return Type{Type: config.Type{Name: TypeHelm, Block: "helm", PathOptional: true, Read: readHelmOptions}, build: buildHelm, charts: chartOfHelm}
}

func readHelmOptions(r config.Reader, block *yaml.Node, at string, m *config.Manifest) {
	o := &helmOptions{}
	m.Options = o
	if block == nil {
		if m.Path == "" {
			r.MissingFrom(m, at, "chart")
		}
		return
	}
	text := func(into *string) func(*yaml.Node, string) {
		return func(v *yaml.Node, at string) { *into = r.Text(v, at) }
	}
	fields := []config.Field{
		{Key: "chart", Read: text(&o.chart)},
		{Key: "repository", Read: text(&o.repository)},
		{Key: "version", Read: text(&o.version)},
		{Key: "release", Read: text(&o.release)},
		{Key: "namespace", Read: func(v *yaml.Node, at string) {
			o.namespace = r.Namespace(v, at)
			m.DefaultNamespace = o.namespace
		}},
		{Key: "valueFiles", Read: func(v *yaml.Node, at string) {
			r.List(v, at, func(v *yaml.Node, at string) { o.valueFiles = append(o.valueFiles, r.Path(v, at)) })
		}},
		{Key: "values", Read: func(v *yaml.Node, at string) {
			r.Entries(v, at, func(*yaml.Node, *yaml.Node, string) {}) // a mapping with unique keys
			o.values, o.valuesAt = r.Source(v, at), fmt.Sprintf("%s:%d", m.File, r.Line(v))
		}},
		{Key: "includeCRDs", Read: func(v *yaml.Node, at string) { o.skipCRDs = !r.Bool(v, at) }},
		{Key: "createNamespace", Read: func(v *yaml.Node, at string) { o.makesHome = r.Bool(v, at) }},
		{Key: "kubeVersion", Read: text(&o.kubeVersion)},
		{Key: "apiVersions", Read: func(v *yaml.Node, at string) { o.apiVersions = r.Texts(v, at) }},
		{Key: "wait", Read: func(v *yaml.Node, at string) { m.Wait = r.Bool(v, at) }},
		{Key: "timeoutSeconds", Read: func(v *yaml.Node, at string) { m.Timeout = r.Seconds(v, at) }},
	}
	before := r.Findings()
	r.Mapping(block, at, append(fields, serverFields(r, &o.server)...)...)
	if r.Findings() > before {
		return
	}
	if err := o.source(Manifest{Path: m.Path}).Check(); err != nil {
		r.Found(block, at, "%v", err)
	}
	if o.makesHome && o.namespace == "" {
		r.Missing(block, at, "namespace")
	}
}

func (o *helmOptions) source(m Manifest) charts.Source {
	return charts.Source{
		Path: m.Path, Within: m.Within, Name: o.chart, Repository: o.repository, Version: o.version,
		CAFile: o.server.caFile, Insecure: o.server.insecure, PlainHTTP: o.server.plainHTTP,
	}
}

// buildHelm renders one release.
func buildHelm(ctx context.Context, b Builder, m Manifest) (content, error) {
	o, ok := m.Options.(*helmOptions)
	if !ok {
		return content{}, errors.New("there are no options of type helm")
	}
	r := release{
		name: o.release, namespace: o.namespace, source: o.source(m), includeCRDs: !o.skipCRDs,
		kubeVersion: o.kubeVersion, apiVersions: o.apiVersions,
	}
	if r.name == "" {
		r.name = m.Name
	}
	var err error
	if r.source.Username, r.source.Password, err = o.server.credentials(b.LookupEnv); err != nil {
		return content{}, err
	}
	if r.values, err = mergedValues(m.inside(o.valueFiles), m.Within, o.values, o.valuesAt); err != nil {
		return content{}, err
	}
	all, err := b.render(ctx, r)
	if err == nil && o.makesHome {
		all.Objects = append(home(o.namespace, m.Path), all.Objects...)
	}
	return all, err
}

// home is the Namespace of a release.
func home(namespace, path string) []object.Object {
	return []object.Object{{
		Body:   map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": namespace}},
		Origin: object.Origin{File: path},
	}}
}
