package config

import "sigs.k8s.io/kustomize/kyaml/yaml"

// TypeYAML is a file of objects or a directory of such files.
const TypeYAML = "yaml"

func yamlType() manifestType {
	return manifestType{name: TypeYAML, block: "yaml", read: readYAML}
}

func readYAML(r *reader, block *yaml.Node, at string, m *Manifest) {
	r.mapping(block, at, []field{
		{"defaultNamespace", func(v *yaml.Node, at string) { m.DefaultNamespace = r.namespace(v, at) }},
		{"recursive", func(v *yaml.Node, at string) { m.Recursive = r.truth(v, at) }},
	})
}
