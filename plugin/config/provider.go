package config

import (
	"strconv"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// providers reads the sources of secret values.
func (d *document) providers(n *yaml.Node, at string) {
	d.list(n, at, func(v *yaml.Node, at string) {
		before := d.Findings()
		p := d.provider(v, at)
		if d.Findings() > before {
			return
		}
		s := &d.loader.file.Tazuna.Spec
		for _, other := range s.Providers {
			if other.Name == p.Name {
				d.found(v.Line, join(at, "name"), "provider %s is there twice", strconv.Quote(p.Name))
				return
			}
		}
		s.Providers = append(s.Providers, p)
	})
}

func (d *document) provider(n *yaml.Node, at string) Provider {
	var p Provider
	before := d.Findings()
	blocks := map[ProviderType]*yaml.Node{}
	d.mapping(n, at, []field{
		{"name", func(v *yaml.Node, at string) { p.Name = d.text(v, at) }},
		{"type", func(v *yaml.Node, at string) {
			p.Type = ProviderType(d.OneOf(v, at, string(ProviderEnvFile), string(ProviderOnePassword)))
		}},
		{"onepassword", func(v *yaml.Node, at string) {
			blocks[ProviderOnePassword] = v
			d.mapping(v, at, nil)
		}},
		{"envfile", func(v *yaml.Node, at string) {
			blocks[ProviderEnvFile] = v
			d.mapping(v, at, []field{{"path", func(v *yaml.Node, at string) { p.Path = d.Path(v, at) }}})
		}},
	})
	if d.Findings() == before {
		d.checkProvider(n, at, p, blocks)
	}
	return p
}

// checkProvider reports what doesn't go together.
func (d *document) checkProvider(n *yaml.Node, at string, p Provider, blocks map[ProviderType]*yaml.Node) {
	switch p.Name {
	case "":
		d.Missing(n, at, "name")
	case DefaultProvider:
		d.found(n.Line, join(at, "name"), "%s is the name of the provider that is always there", DefaultProvider)
	}
	if p.Type == "" {
		d.Missing(n, at, "type")
		return
	}
	for of, block := range blocks {
		if of != p.Type {
			d.found(block.Line, join(at, string(of)), "these options belong to type %s, but the provider has type %s", of, p.Type)
		}
	}
	if p.Type == ProviderEnvFile && p.Path == "" {
		d.Missing(n, at, "envfile.path")
	}
}
