package pack

import (
	"fmt"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
)

// putVersion writes the version into package.yaml. Comments and the order of keys
// stay. A file that has that version already stays as it is.
func (fs files) putVersion(version string) error {
	for i, f := range fs {
		if f.name != bundle.DefinitionFile {
			continue
		}
		if d, _ := bundle.ParseDefinition(f.data, f.name); d.Version == version {
			return nil
		}
		data, err := withVersion(f.data, version)
		if err != nil {
			return fmt.Errorf("%s: put the version in: %w", f.name, err)
		}
		fs[i].data = data
		return nil
	}
	return fmt.Errorf("there is no %s", bundle.DefinitionFile)
}

func withVersion(data []byte, version string) ([]byte, error) {
	document, err := yaml.Parse(string(data))
	if err != nil {
		return nil, err
	}
	if err := document.PipeE(yaml.SetField("version", yaml.NewStringRNode(version))); err != nil {
		return nil, err
	}
	text, err := document.String()
	return []byte(text), err
}
