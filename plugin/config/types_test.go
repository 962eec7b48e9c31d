package config

import "sigs.k8s.io/kustomize/kyaml/yaml"

// testTypes are two types that stand for all: what types there are is not this
// package's matter.
func testTypes() []Type {
	kustomize := Type{Name: "kustomize", Block: "kustomize", Read: func(r Reader, block *yaml.Node, at string, m *Manifest) {
		if block != nil {
			r.Mapping(block, at, Field{"defaultNamespace", func(v *yaml.Node, at string) { m.DefaultNamespace = r.Namespace(v, at) }})
		}
	}}
	files := Type{Name: "yaml", Block: "yaml", Read: func(r Reader, block *yaml.Node, at string, m *Manifest) {
		if block != nil {
			r.Mapping(block, at,
				Field{"defaultNamespace", func(v *yaml.Node, at string) { m.DefaultNamespace = r.Namespace(v, at) }},
				Field{"recursive", func(v *yaml.Node, at string) { m.Recursive = r.Bool(v, at) }},
			)
		}
	}}
	return []Type{kustomize, files}
}

func withTypes() LoadOptions { return LoadOptions{Types: testTypes()} }

func ofVersion(version string) LoadOptions { return LoadOptions{Types: testTypes(), Version: version} }
