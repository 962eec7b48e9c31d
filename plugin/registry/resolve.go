package registry

import (
	"context"
	"errors"
	"fmt"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/registry/remote"
)

// source is where an artifact comes from: a repository, a layout, or, offline,
// the cache alone.
type source struct {
	content.Fetcher
	// manifest describes what the reference means.
	manifest ocispec.Descriptor
	// remote tells that fetching costs a transfer, so that the cache is asked
	// first and filled.
	remote bool
	close  func() error
}

// Resolve asks what a reference means now, without fetching it. ErrNotFound if
// there is no such artifact.
func (c *Client) Resolve(ctx context.Context, ref Reference) (Descriptor, error) {
	from, err := c.source(ctx, ref)
	if err != nil {
		return Descriptor{}, c.fail(ctx, "resolve", ref, err)
	}
	if err := from.close(); err != nil {
		return Descriptor{}, c.fail(ctx, "resolve", ref, err)
	}
	return fromOCI(from.manifest), nil
}

func (c *Client) source(ctx context.Context, ref Reference) (*source, error) {
	switch {
	case ref.IsLayout():
		return fromLayout(ref)
	case c.options.Offline:
		return c.fromCache(ref)
	}
	repository, err := c.repository(ref)
	if err != nil {
		return nil, err
	}
	manifest, err := repository.Resolve(ctx, ref.selector())
	if err != nil && strings.Contains(err.Error(), noDigestHeader) {
		manifest, err = resolveByContent(ctx, repository, ref)
	}
	if err != nil {
		return nil, err
	}
	return &source{Fetcher: repository, manifest: manifest, remote: true, close: nothing}, nil
}

func nothing() error { return nil }

// noDigestHeader is in the error about servers, usually proxies, that don't say in
// a header which digest a manifest has.
const noDigestHeader = `missing required header "Docker-Content-Digest"`

// resolveByContent fetches the manifest to learn its digest.
func resolveByContent(ctx context.Context, repository *remote.Repository, ref Reference) (ocispec.Descriptor, error) {
	manifest, content, err := repository.FetchReference(ctx, ref.selector())
	if err != nil {
		return ocispec.Descriptor{}, err
	}
	return manifest, content.Close()
}

func fromLayout(ref Reference) (*source, error) {
	l, err := openLayout(ref.Layout)
	if err != nil {
		return nil, err
	}
	manifest, err := l.find(ref)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &source{Fetcher: l, manifest: manifest, close: l.Close}, nil
}

// fromCache finds what was fetched before. A tag is what it was then; for a
// digest the note of that digest tells media type and size.
func (c *Client) fromCache(ref Reference) (*source, error) {
	cache := c.cache()
	if cache == nil {
		return nil, fmt.Errorf("%w: there is none, and no server may be asked (offline)", ErrOffline)
	}
	if ref.IsRepository() {
		ref.Tag = defaultTag
	}
	if ref.Digest != "" {
		ref.Tag = ""
	}
	manifest, err := cache.recall(ref, c.options.Now())
	if err != nil {
		return nil, err
	}
	return &source{Fetcher: cache.storage, manifest: manifest, close: nothing}, nil
}

// noteSeen keeps for later what a reference means, by tag and by digest.
func (c *Client) noteSeen(ref Reference, manifest ocispec.Descriptor) error {
	cache := c.cache()
	if cache == nil {
		return nil
	}
	now := c.options.Now()
	c.pruneOnce()
	byDigest := cache.note(ref.WithDigest(manifest.Digest.String()), manifest, now)
	if ref.Digest != "" {
		return byDigest
	}
	return errors.Join(byDigest, cache.note(ref.WithTag(ref.selector()), manifest, now))
}
