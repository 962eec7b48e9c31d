package catalog

import (
	"context"
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/repository"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/source"
)

// layout is an OCI layout with one package, whose name only its metadata tells.
type layout struct {
	repository.Repository
	opener source.Opener
}

// Packages tells the one package.
func (l layout) Packages(ctx context.Context) (repository.Offer, error) {
	name, err := l.name(ctx)
	if err != nil {
		return repository.Offer{}, err
	}
	return repository.Offer{Names: []string{name}}, nil
}

// name is that in the metadata of the newest version.
func (l layout) name(ctx context.Context) (string, error) {
	offer, err := l.Repository.Versions(ctx, "")
	if err != nil {
		return "", err
	}
	m, _, err := l.Peek(ctx, offer.Names[len(offer.Names)-1])
	if err != nil {
		return "", err
	}
	return m.Definition.Name, nil
}

// Versions are those of the one package.
func (l layout) Versions(ctx context.Context, name string) (repository.Offer, error) {
	if err := l.wanted(ctx, name); err != nil {
		return repository.Offer{}, err
	}
	return l.Repository.Versions(ctx, name)
}

// wanted refuses another package.
func (l layout) wanted(ctx context.Context, name string) error {
	found, err := l.name(ctx)
	if err != nil {
		return err
	}
	if found != name {
		return fmt.Errorf("%s: wanted package %s, found %s", l.Root, name, found)
	}
	return nil
}

// Channels is empty: a layout has none.
func (l layout) Channels(context.Context, string) (map[string]string, error) {
	return nil, nil
}

// Metadata reads a metadata image.
func (l layout) Metadata(ctx context.Context, name, version string) (*bundle.Metadata, error) {
	m, _, err := l.ReadMetadata(ctx, name, version)
	return m, err
}

// Bundle unpacks a bundle image.
func (l layout) Bundle(ctx context.Context, name, version string) (*source.Package, error) {
	if err := l.wanted(ctx, name); err != nil {
		return nil, err
	}
	return l.opener.Open(ctx, l.Repository.Bundle(name, version).String())
}
