package config

import "sigs.k8s.io/kustomize/kyaml/yaml"

// TypeKustomize is a directory with a kustomization file.
const TypeKustomize = "kustomize"

func kustomizeType() manifestType {
	return manifestType{name: TypeKustomize, block: "kustomize", read: readKustomize}
}

func readKustomize(r *reader, block *yaml.Node, at string, m *Manifest) {
	r.mapping(block, at, []field{
		{"defaultNamespace", func(v *yaml.Node, at string) { m.DefaultNamespace = r.namespace(v, at) }},
	})
}
