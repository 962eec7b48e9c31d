package api

import (
	"embed"
	"fmt"
	"io/fs"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

//go:embed crds/*.yaml
var definitions embed.FS

// CRDs returns the CustomResourceDefinitions of all kinds, by name. The caller may
// change them. An error is a fault of this program.
func CRDs() ([]*unstructured.Unstructured, error) {
	files, err := fs.Glob(definitions, "crds/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list the definitions of our kinds: %w", err)
	}
	all := make([]*unstructured.Unstructured, 0, len(files))
	for _, file := range files {
		data, err := definitions.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read the definition %s: %w", file, err)
		}
		crd := &unstructured.Unstructured{}
		if err := yaml.UnmarshalStrict(data, &crd.Object); err != nil {
			return nil, fmt.Errorf("read the definition %s: %w", file, err)
		}
		all = append(all, crd)
	}
	return all, nil
}
