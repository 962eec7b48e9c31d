package repository

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry/archive"
)

// metadataLimits bound a metadata image: texts and pictures for catalogues.
func metadataLimits() archive.Limits {
	return archive.Limits{Bytes: 64 << 20, File: 16 << 20, Entries: 5000, Depth: 16}
}

// ReadMetadata fetches the metadata of a version, or of a release channel. That it
// is about another package or version than it was asked for is an error.
func (r Repository) ReadMetadata(ctx context.Context, name, versionOrChannel string) (*bundle.Metadata, []bundle.Finding, error) {
	ref := r.Metadata(name, versionOrChannel)
	if IsChannel(versionOrChannel) {
		ref = r.Channel(name, versionOrChannel)
	}
	m, findings, err := r.readMetadata(ctx, ref)
	if err != nil {
		return nil, nil, err
	}
	if err := bundle.AsError(findings); err != nil {
		return nil, nil, fmt.Errorf("metadata %s: %w", ref, err)
	}
	if m.Definition.Name != name {
		return nil, nil, fmt.Errorf("metadata %s: wanted package %s, found %s", ref, name, m.Definition.Name)
	}
	if !IsChannel(versionOrChannel) && m.Version != versionOrChannel {
		return nil, nil, fmt.Errorf("metadata %s: wanted version %s, found %s", ref, versionOrChannel, m.Version)
	}
	return m, findings, nil
}

// Peek fetches the metadata of a version without knowing whose it is: a layout says
// that nowhere else.
func (r Repository) Peek(ctx context.Context, version string) (*bundle.Metadata, []bundle.Finding, error) {
	ref := r.Metadata("", version)
	m, findings, err := r.readMetadata(ctx, ref)
	if err != nil {
		return nil, nil, err
	}
	if err := bundle.AsError(findings); err != nil {
		return nil, nil, fmt.Errorf("metadata %s: %w", ref, err)
	}
	return m, findings, nil
}

func (r Repository) readMetadata(ctx context.Context, ref registry.Reference) (m *bundle.Metadata, findings []bundle.Finding, err error) {
	artifact, err := r.Client.Pull(ctx, ref)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, artifact.Close()) }()
	temp, err := os.MkdirTemp(r.TempDir, "tazuna-metadata-")
	if err != nil {
		return nil, nil, fmt.Errorf("metadata %s: %w", ref, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	if err := artifact.ExtractInto(ctx, temp, metadataLimits()); err != nil {
		return nil, nil, err
	}
	root, err := os.OpenRoot(temp)
	if err != nil {
		return nil, nil, fmt.Errorf("metadata %s: %w", ref, err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return bundle.ReadMetadata(root.FS())
}
