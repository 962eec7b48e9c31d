package genesis

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
)

// opaque is the type of a Secret where the file names none.
const opaque = "Opaque"

// Load reads a GenesisSecret file. What is wrong with its content comes as one
// *config.Error.
func Load(path string, lenient bool) (*Secret, []config.Finding, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read GenesisSecret: %w", err)
	}
	return Parse(data, path, lenient)
}

// Parse is Load for content that was read elsewhere. A lenient parse warns of
// unknown fields.
func Parse(data []byte, path string, lenient bool) (*Secret, []config.Finding, error) {
	s := &Secret{Path: path, Provider: config.DefaultProvider, Static: map[string]string{}}
	warnings, err := config.ReadDocument(data, path, "a GenesisSecret with a spec", lenient, func(r config.Reader, root *yaml.Node) {
		parser{r, s}.root(root)
	})
	if err != nil {
		return nil, nil, err
	}
	return s, warnings, nil
}

// parser reads the document into a Secret.
type parser struct {
	config.Reader
	secret *Secret
}

func (p parser) root(n *yaml.Node) {
	ignore := func(*yaml.Node, string) {} // kubectl's habit to write them is no mistake
	hasSpec := false
	before := p.Findings()
	p.Mapping(n, "",
		config.Field{Key: "apiVersion", Read: ignore},
		config.Field{Key: "kind", Read: ignore},
		config.Field{Key: "metadata", Read: ignore},
		config.Field{Key: "spec", Read: func(v *yaml.Node, at string) { hasSpec = true; p.spec(v, at) }},
	)
	if !hasSpec && p.Findings() == before {
		p.Missing(n, "", "spec")
	}
}

func (p parser) spec(n *yaml.Node, at string) {
	s := p.secret
	before := p.Findings()
	p.Mapping(n, at,
		config.Field{Key: "provider", Read: func(v *yaml.Node, at string) {
			if name := p.Text(v, at); name != "" {
				s.Provider = name
			}
		}},
		config.Field{Key: "secrets", Read: func(v *yaml.Node, at string) {
			p.List(v, at, func(v *yaml.Node, at string) { s.Sources = append(s.Sources, p.source(v, at)) })
		}},
		config.Field{Key: "static", Read: func(v *yaml.Node, at string) { s.Static = p.static(v, at) }},
		config.Field{Key: "outputs", Read: func(v *yaml.Node, at string) {
			p.List(v, at, func(v *yaml.Node, at string) { s.Outputs = append(s.Outputs, p.output(v, at)) })
		}},
	)
	if len(s.Outputs) == 0 && p.Findings() == before {
		p.Missing(n, at, "outputs")
	}
}

func (p parser) source(n *yaml.Node, at string) Source {
	s := Source{Line: p.Line(n)}
	p.Mapping(n, at,
		config.Field{Key: "uri", Read: func(v *yaml.Node, at string) { s.URI = p.Text(v, at) }},
		config.Field{Key: "preferLabel", Read: func(v *yaml.Node, at string) { s.PreferLabel = p.Bool(v, at) }},
		config.Field{Key: "items", Read: func(v *yaml.Node, at string) {
			p.Entries(v, at, func(key, value *yaml.Node, at string) {
				s.Items = append(s.Items, p.item(key, value, at))
			})
		}},
	)
	return s
}

func (p parser) item(key, value *yaml.Node, at string) Item {
	i := Item{Field: key.Value, Line: p.Line(key)}
	before := p.Findings()
	p.Mapping(value, at, config.Field{Key: "mapTo", Read: func(v *yaml.Node, at string) {
		i.MapTo = p.Text(v, at)
		p.dataKey(v, at, i.MapTo)
	}})
	if i.MapTo == "" && p.Findings() == before {
		p.Missing(value, at, "mapTo")
	}
	return i
}

func (p parser) static(n *yaml.Node, at string) map[string]string {
	all := p.TextMap(n, at)
	for key := range all {
		p.dataKey(n, at, key)
	}
	return all
}

// dataKey refuses what can't be a key of a Secret.
func (p parser) dataKey(n *yaml.Node, at, key string) {
	if problems := validation.IsConfigMapKey(key); key != "" && len(problems) > 0 {
		p.Found(n, at, "%s is no key of a Secret: %s", strconv.Quote(key), strings.Join(problems, "; "))
	}
}

func (p parser) output(n *yaml.Node, at string) Output {
	o := Output{Line: p.Line(n)}
	hasSecret := false
	before := p.Findings()
	p.Mapping(n, at,
		config.Field{Key: "stdout", Read: func(v *yaml.Node, at string) { o.Stdout = true; p.Mapping(v, at) }},
		config.Field{Key: "kubernetesSecret", Read: func(v *yaml.Node, at string) { hasSecret = true; p.kubernetes(v, at, &o) }},
	)
	if p.Findings() == before && o.Stdout == hasSecret {
		p.Found(n, at, "wanted either kubernetesSecret or stdout: {}")
	}
	return o
}

func (p parser) kubernetes(n *yaml.Node, at string, o *Output) {
	o.Type = opaque
	before := p.Findings()
	p.Mapping(n, at,
		config.Field{Key: "namespace", Read: func(v *yaml.Node, at string) { o.Namespace = p.Namespace(v, at) }},
		config.Field{Key: "name", Read: func(v *yaml.Node, at string) { o.Name = p.Text(v, at) }},
		config.Field{Key: "labels", Read: func(v *yaml.Node, at string) { o.Labels = p.TextMap(v, at) }},
		config.Field{Key: "annotations", Read: func(v *yaml.Node, at string) { o.Annotations = p.TextMap(v, at) }},
		config.Field{Key: "type", Read: func(v *yaml.Node, at string) {
			if kind := p.Text(v, at); kind != "" {
				o.Type = kind
			}
		}},
		config.Field{Key: "context", Read: func(v *yaml.Node, at string) {
			if p.Text(v, at) != "" {
				p.Warn(v, at, "has no effect: a run acts on the cluster of its own context; context_matches guards that")
			}
		}},
	)
	if p.Findings() > before {
		return
	}
	if o.Name == "" {
		p.Missing(n, at, "name")
	} else if problems := validation.IsDNS1123Subdomain(o.Name); len(problems) > 0 {
		p.Found(n, at+".name", "%s is no name of a Secret: %s", strconv.Quote(o.Name), strings.Join(problems, "; "))
	}
}
