package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/repository"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/source"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
)

// devVersion is that of sources without a version.
const devVersion = "dev"

// directory has the sources of a package, or directories with sources and layouts.
type directory struct {
	path   string
	opener source.Opener
}

// place is one package of a directory.
type place struct {
	name string
	// layout is set for an OCI layout, dir for sources.
	layout *layout
	dir    string
}

// Packages lists the directory.
func (d directory) Packages(ctx context.Context) (repository.Offer, error) {
	places, ignored, err := d.places(ctx)
	o := repository.Offer{Ignored: ignored}
	for _, p := range places {
		o.Names = append(o.Names, p.name)
	}
	return o, err
}

// places looks through the directory, in the order of its names.
func (d directory) places(ctx context.Context) (all []place, ignored []repository.Ignored, err error) {
	if p, err := d.at(ctx, d.path); p != nil || err != nil {
		if err != nil {
			return nil, nil, err
		}
		return []place{*p}, nil, nil
	}
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return nil, nil, fmt.Errorf("packages in %s: %w", d.path, err)
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		p, err := d.at(ctx, filepath.Join(d.path, entry.Name()))
		switch {
		case err != nil:
			ignored = append(ignored, repository.Ignored{Tag: entry.Name(), Reason: err.Error()})
		case p != nil:
			all = append(all, *p)
		}
	}
	if len(all) == 0 && len(ignored) == 0 {
		return nil, nil, fmt.Errorf("packages in %s: wanted package.yaml, an OCI layout, or directories with them, found none", d.path)
	}
	return all, ignored, nil
}

// at tells which package a directory is; nil: it is none.
func (d directory) at(ctx context.Context, dir string) (*place, error) {
	if registry.IsLayout(dir) {
		l := &layout{
			Repository: repository.Repository{Client: d.opener.Client, Root: registry.Reference{Layout: dir}, TempDir: d.opener.TempDir},
			opener:     d.opener,
		}
		name, err := l.name(ctx)
		if err != nil {
			return nil, err
		}
		return &place{name: name, layout: l}, nil
	}
	if _, err := os.Stat(filepath.Join(dir, bundle.DefinitionFile)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // a directory without a package is no fault
	}
	p, _, err := d.opener.Inspect(dir)
	if err != nil {
		return nil, err
	}
	name := p.Definition.Name
	if err := p.Close(); err != nil {
		return nil, err
	}
	if name == "" {
		return nil, fmt.Errorf("%s: the package has no name", filepath.Join(dir, bundle.DefinitionFile))
	}
	return &place{name: name, dir: dir}, nil
}

func (d directory) find(ctx context.Context, name string) (place, error) {
	places, _, err := d.places(ctx)
	if err != nil {
		return place{}, err
	}
	for _, p := range places {
		if p.name == name {
			return p, nil
		}
	}
	return place{}, fmt.Errorf("package %s: there is none in %s", name, d.path)
}

// Versions are the one of sources, or those of a layout.
func (d directory) Versions(ctx context.Context, name string) (repository.Offer, error) {
	p, err := d.find(ctx, name)
	if err != nil {
		return repository.Offer{}, err
	}
	if p.layout != nil {
		return p.layout.Versions(ctx, name)
	}
	m, err := d.metadata(ctx, p.dir)
	if err != nil {
		return repository.Offer{}, err
	}
	return repository.Offer{Names: []string{m.Version}}, nil
}

// Channels is empty: a directory has none.
func (d directory) Channels(context.Context, string) (map[string]string, error) {
	return nil, nil
}

// Metadata reads it from the sources or the layout.
func (d directory) Metadata(ctx context.Context, name, version string) (*bundle.Metadata, error) {
	p, err := d.find(ctx, name)
	if err != nil {
		return nil, err
	}
	if p.layout != nil {
		return p.layout.Metadata(ctx, name, version)
	}
	m, err := d.metadata(ctx, p.dir)
	if err == nil && m.Version != version {
		return nil, fmt.Errorf("package %s in %s: wanted version %s, found %s", name, p.dir, version, m.Version)
	}
	return m, err
}

func (d directory) metadata(ctx context.Context, dir string) (*bundle.Metadata, error) {
	p, err := d.opener.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	m := &bundle.Metadata{
		Version: p.Definition.Version, Definition: p.Definition, Changelog: p.Changelog,
		SettingsSchema: p.SettingsSchema, ValuesSchema: p.ValuesSchema,
	}
	if m.Version == "" {
		m.Version = devVersion
	}
	return m, p.Close() // all of it has been read
}

// Bundle is the sources themselves, or a bundle of the layout.
func (d directory) Bundle(ctx context.Context, name, version string) (*source.Package, error) {
	p, err := d.find(ctx, name)
	if err != nil {
		return nil, err
	}
	if p.layout != nil {
		return p.layout.Bundle(ctx, name, version)
	}
	opened, err := d.opener.Open(ctx, p.dir)
	if err != nil {
		return nil, err
	}
	if opened.Definition.Version == "" {
		opened.Definition.Version = devVersion
	}
	if opened.Definition.Version != version {
		return nil, errors.Join(
			fmt.Errorf("package %s in %s: wanted version %s, found %s", name, p.dir, version, opened.Definition.Version), opened.Close(),
		)
	}
	return opened, nil
}
