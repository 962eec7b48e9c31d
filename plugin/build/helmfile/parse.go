package helmfile

import (
	"errors"
	"fmt"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Options are the circumstances of a Parse.
type Options struct {
	// Environment is the name that templates see; empty is "default".
	Environment string
	// Lenient makes warnings of parts that are not understood.
	Lenient bool
	// Vars are what templates see as .Values and .StateValues.
	Vars Values
}

// harmless are keys of helmfile that don't change what is rendered.
func harmless() []string {
	return []string{
		"helmBinary", "helmDefaults", "commonLabels", "lockFilePath", "labels", "needs", "wait", "waitForJobs",
		"timeout", "atomic", "cleanupOnFail", "createNamespace", "historyMax", "force", "recreatePods",
		"verify", "keyring", "skipDeps", "devel", "disableValidation", "disableOpenAPIValidation", "missingFileHandler",
	}
}

// Parse reads a helmfile. What is wrong with it comes as one *config.Error.
func Parse(text []byte, path string, o Options) (*File, error) {
	f := &File{Path: path, Secrets: o.Vars.secrets()}
	warnings, err := config.ReadTemplate(text, path, "a helmfile with releases", o.Lenient, base(), variables(o),
		func(r config.Reader, root *yaml.Node) { parser{r, f}.root(root) })
	if err != nil {
		// A template can put any value into its own message.
		return nil, errors.New(object.Scrub(err.Error(), f.Secrets))
	}
	f.Warnings = warnings
	return f, nil
}

// parser reads the document.
type parser struct {
	config.Reader
	file *File
}

func (p parser) root(n *yaml.Node) {
	p.known(n, "",
		config.Field{Key: "repositories", Read: func(v *yaml.Node, at string) {
			p.List(v, at, func(v *yaml.Node, at string) { p.repository(v, at) })
		}},
		config.Field{Key: "releases", Read: func(v *yaml.Node, at string) {
			p.List(v, at, func(v *yaml.Node, at string) { p.release(v, at) })
		}},
	)
}

// known reads a mapping: other keys are harmless or not understood.
func (p parser) known(n *yaml.Node, at string, fields ...config.Field) {
	for _, key := range harmless() {
		fields = append(fields, config.Field{Key: key, Read: func(v *yaml.Node, at string) {
			p.Warn(v, at, "has no effect here: it changes how helmfile works and not what it renders")
		}})
	}
	p.Entries(n, at, func(key, value *yaml.Node, at string) {
		for _, f := range fields {
			if f.Key == key.Value {
				if value.Tag != yaml.NodeTagNull {
					f.Read(value, at)
				}
				return
			}
		}
		p.Loose(key, at, "this part of helmfile is not understood, and may change what is rendered")
	})
}

func (p parser) repository(n *yaml.Node, at string) {
	var r Repository
	before := p.Findings()
	p.Mapping(n, at,
		config.Field{Key: "name", Read: func(v *yaml.Node, at string) { r.Name = p.Text(v, at) }},
		config.Field{Key: "url", Read: func(v *yaml.Node, at string) { r.URL = p.Text(v, at) }},
		config.Field{Key: "username", Read: func(v *yaml.Node, at string) { r.Username = p.Text(v, at) }},
		config.Field{Key: "password", Read: func(v *yaml.Node, at string) { r.Password = p.Text(v, at) }},
		config.Field{Key: "oci", Read: func(v *yaml.Node, at string) { r.OCI = p.Bool(v, at) }},
	)
	if p.Findings() > before {
		return
	}
	for _, f := range []struct{ key, value string }{{"name", r.Name}, {"url", r.URL}} {
		if f.value == "" {
			p.Missing(n, at, f.key)
		}
	}
	p.file.Repositories = append(p.file.Repositories, r)
}

func (p parser) release(n *yaml.Node, at string) {
	r := Release{Line: p.Line(n)}
	before := p.Findings()
	p.known(n, at,
		config.Field{Key: "name", Read: func(v *yaml.Node, at string) { r.Name = p.Text(v, at) }},
		config.Field{Key: "namespace", Read: func(v *yaml.Node, at string) { r.Namespace = p.Namespace(v, at) }},
		config.Field{Key: "chart", Read: func(v *yaml.Node, at string) { r.Chart = p.Text(v, at) }},
		config.Field{Key: "version", Read: func(v *yaml.Node, at string) { r.Version = p.Text(v, at) }},
		config.Field{Key: "values", Read: func(v *yaml.Node, at string) {
			p.List(v, at, func(v *yaml.Node, at string) { r.Values = append(r.Values, p.values(v, at)) })
		}},
	)
	if p.Findings() > before {
		return
	}
	for _, f := range []struct{ key, value string }{{"name", r.Name}, {"chart", r.Chart}} {
		if f.value == "" {
			p.Missing(n, at, f.key)
		}
	}
	p.file.Releases = append(p.file.Releases, r)
}

// values reads one element: the path of a file, or values.
func (p parser) values(n *yaml.Node, at string) ValuesOf {
	if n.Kind == yaml.MappingNode {
		p.Entries(n, at, func(*yaml.Node, *yaml.Node, string) {}) // unique keys
		return ValuesOf{Inline: p.Source(n, at), Where: fmt.Sprintf("%s:%d", p.file.Path, p.Line(n))}
	}
	file := p.Text(n, at)
	if strings.HasSuffix(file, ".gotmpl") {
		p.Loose(n, at, "templates of values files are not understood: %s would be read as it stands", file)
	}
	return ValuesOf{File: file}
}
