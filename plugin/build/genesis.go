package build

import (
	"context"
	"maps"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/genesis"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// TypeGenesisSecret is a file that says which values of a provider become Secrets.
const TypeGenesisSecret = "genesissecret"

func genesisType() Type {
	return Type{Type: config.Type{Name: TypeGenesisSecret, Block: "genesisSecret", Read: readGenesisOptions}, build: buildGenesis}
}

// readGenesisOptions reads a block that has no keys yet.
func readGenesisOptions(r config.Reader, block *yaml.Node, at string, _ *config.Manifest) {
	if block != nil {
		r.Mapping(block, at)
	}
}

// buildGenesis asks the provider and makes one Secret an output.
func buildGenesis(ctx context.Context, b Builder, m Manifest) (content, error) {
	secret, warnings, err := genesis.Load(m.Path, b.Lenient)
	if err != nil {
		return content{}, err
	}
	all := content{alwaysSync: true}
	for _, w := range warnings {
		all.Warnings = append(all.Warnings, object.Warning{
			Origin: object.Origin{File: w.File, Line: w.Line}, Text: w.Field + ": " + w.Text,
		})
	}
	values := placeholders(secret)
	if b.Unresolved {
		err = b.providers().Check(secret)
	} else {
		values, err = b.providers().Resolve(ctx, secret)
	}
	if err != nil {
		return content{}, err
	}
	all.Objects, all.text = secret.Objects(values), secret.Text(values)
	return all, nil
}

// placeholders are the keys that a file's values will have.
func placeholders(s *genesis.Secret) genesis.Values {
	values := genesis.Values{}
	maps.Copy(values, s.Static)
	for _, source := range s.Sources {
		for _, item := range source.Items {
			values[item.MapTo] = ""
		}
	}
	return values
}
