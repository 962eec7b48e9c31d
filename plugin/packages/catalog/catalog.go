package catalog

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/repository"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/source"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
)

// Catalog is what a repository offers. It is safe for use by several goroutines.
type Catalog interface {
	// Packages lists the packages.
	Packages(ctx context.Context) (repository.Offer, error)
	// Versions lists the versions of a package, ascending. None is
	// repository.ErrNoVersions.
	Versions(ctx context.Context, name string) (repository.Offer, error)
	// Channels tells the version of each release channel of a package.
	Channels(ctx context.Context, name string) (map[string]string, error)
	// Metadata tells what there is to know of a version without its bundle.
	Metadata(ctx context.Context, name, version string) (*bundle.Metadata, error)
	// Bundle fetches a version. The caller closes it.
	Bundle(ctx context.Context, name, version string) (*source.Package, error)
}

// Options say how catalogues are reached.
type Options struct {
	// CacheDir keeps what was fetched; empty: nothing is kept.
	CacheDir string
	// TempDir is where images are unpacked; empty: the system's.
	TempDir string
	// UserAgent is what registries are told.
	UserAgent string
	// Retry says how failures are repeated; zero: registry.DefaultRetry.
	Retry registry.Retry
	// Warn is told what went wrong beside the matter; nil: nobody is.
	Warn func(text string)
}

// Open makes a catalogue of what a repository says. It asks nobody yet.
func Open(spec api.RegistrySpec, o Options) (Catalog, error) {
	repo := strings.TrimSuffix(spec.Repo, "/")
	if filepath.IsAbs(spec.Repo) {
		client, err := registry.New(registry.Options{TempDir: o.TempDir})
		if err != nil {
			return nil, err
		}
		return directory{path: filepath.Clean(spec.Repo), opener: source.Opener{Client: client, TempDir: o.TempDir}}, nil
	}
	client, err := newClient(spec, o)
	if err != nil {
		return nil, err
	}
	ref, err := registry.ParseReference(repo)
	if err != nil {
		return nil, fmt.Errorf("spec.registry.repo: wanted HOST/PATH, oci:DIRECTORY or an absolute path: %w", err)
	}
	if !ref.IsRepository() {
		return nil, fmt.Errorf("spec.registry.repo: wanted neither tag nor digest, found %s", ref)
	}
	opener := source.Opener{Client: client, TempDir: o.TempDir}
	if ref.IsLayout() {
		return layout{Repository: repository.Repository{Client: client, Root: ref, TempDir: o.TempDir}, opener: opener}, nil
	}
	return remote{Repository: repository.Repository{Client: client, Root: ref, TempDir: o.TempDir}, opener: opener}, nil
}

func newClient(spec api.RegistrySpec, o Options) (*registry.Client, error) {
	options := registry.Options{
		PlainHTTP: spec.PlainHTTP(), CA: []byte(spec.CA),
		CacheDir: o.CacheDir, TempDir: o.TempDir, UserAgent: o.UserAgent, Retry: o.Retry, Warn: o.Warn,
	}
	if !spec.PlainHTTP() && spec.Scheme != "" && !strings.EqualFold(spec.Scheme, "HTTPS") {
		return nil, fmt.Errorf("spec.registry.scheme: wanted HTTP or HTTPS, found %q", spec.Scheme)
	}
	if spec.DockerCfg != "" {
		config, err := base64.StdEncoding.DecodeString(strings.TrimSpace(spec.DockerCfg))
		if err != nil {
			return nil, errors.New("spec.registry.dockerCfg: wanted a docker configuration in base64")
		}
		options.DockerConfig = config
	} else if spec.Login != "" || spec.Password != "" {
		host, _, _ := strings.Cut(spec.Repo, "/")
		options.Credentials = registry.Credentials{Host: host, Username: spec.Login, Password: spec.Password}
	}
	client, err := registry.New(options)
	if err != nil {
		return nil, fmt.Errorf("spec.registry: %w", err)
	}
	return client, nil
}

// remote is a registry.
type remote struct {
	repository.Repository
	opener source.Opener
}

// Channels reads the metadata that each release channel has.
func (r remote) Channels(ctx context.Context, name string) (map[string]string, error) {
	offer, err := r.ReleaseChannels(ctx, name)
	if err != nil {
		return nil, err
	}
	channels := map[string]string{}
	var faults []error
	for _, channel := range offer.Names {
		m, _, err := r.ReadMetadata(ctx, name, channel)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		channels[channel] = m.Version
	}
	return channels, errors.Join(faults...)
}

// Metadata reads a metadata image.
func (r remote) Metadata(ctx context.Context, name, version string) (*bundle.Metadata, error) {
	m, _, err := r.ReadMetadata(ctx, name, version)
	return m, err
}

// Bundle pulls and unpacks a bundle image.
func (r remote) Bundle(ctx context.Context, name, version string) (*source.Package, error) {
	return r.opener.Open(ctx, r.Repository.Bundle(name, version).String())
}
