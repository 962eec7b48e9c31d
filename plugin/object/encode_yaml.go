package object

import "sigs.k8s.io/yaml"

// EncodeYAML writes the body with sorted keys and exact numbers.
func EncodeYAML(body map[string]any) ([]byte, error) {
	return yaml.Marshal(body)
}
