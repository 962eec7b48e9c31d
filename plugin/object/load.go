package object

import (
	"bytes"
	"fmt"
	"io"

	"sigs.k8s.io/yaml"
)

// Load reads a stream of YAML or JSON documents.
func Load(r io.Reader, file string) (Set, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return Set{}, fmt.Errorf("read %s: %w", file, err)
	}
	var set Set
	for i, doc := range bytes.Split(data, []byte("\n---\n")) {
		encoded, err := yaml.YAMLToJSONStrict(doc)
		if err != nil {
			return Set{}, fmt.Errorf("%s: %w", Origin{File: file, Document: i + 1}, err)
		}
		if string(encoded) == "null" {
			continue
		}
		body, err := DecodeJSON(encoded)
		if err != nil {
			return Set{}, fmt.Errorf("%s: %w", Origin{File: file, Document: i + 1}, err)
		}
		set.Objects = append(set.Objects, Object{Body: body, Origin: Origin{File: file, Document: i + 1}})
	}
	return set, nil
}
