package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"golang.org/x/sync/errgroup"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/content/oci"
)

// parallel is how many blobs of an artifact are fetched at a time.
const parallel = 4

// Media types of manifests as container tools wrote them before OCI.
const (
	dockerManifest = "application/vnd.docker.distribution.manifest.v2+json"
	dockerIndex    = "application/vnd.docker.distribution.manifest.list.v2+json"
	dockerConfig   = "application/vnd.docker.container.image.v1+json"
)

// Pull fetches an artifact with all its layers. Of an index it takes the
// manifest of Options.Platform.
func (c *Client) Pull(ctx context.Context, ref Reference) (*Artifact, error) {
	a, err := c.pull(ctx, ref)
	if err != nil {
		return nil, c.fail(ctx, "pull", ref, err)
	}
	return a, nil
}

func (c *Client) pull(ctx context.Context, ref Reference) (*Artifact, error) {
	from, err := c.source(ctx, ref)
	if err != nil {
		return nil, err
	}
	p, err := c.newPuller(from)
	if err != nil {
		return nil, errors.Join(err, from.close())
	}
	a, err := p.artifact(ctx, ref)
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	a.close = p.close
	if from.remote {
		if err := c.noteSeen(ref, from.manifest); err != nil {
			return nil, errors.Join(err, p.close())
		}
	}
	return a, nil
}

// puller fetches one artifact into a store.
type puller struct {
	client *Client
	from   *source
	// store is where blobs are put and read from; the source itself where that
	// costs nothing.
	store content.Fetcher
	into  *oci.Storage // nil: nothing is put anywhere
	cache *cache       // nil: into is for this pull only
	temp  string       // a directory to remove, or ""
}

func (c *Client) newPuller(from *source) (*puller, error) {
	p := &puller{client: c, from: from, store: from.Fetcher}
	switch {
	case !from.remote:
		return p, nil
	case c.cache() != nil:
		p.cache = c.cache()
		p.into, p.store = p.cache.storage, p.cache.storage
		return p, nil
	}
	temp, err := os.MkdirTemp(c.options.TempDir, "tazuna-registry-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for what is fetched: %w", err)
	}
	p.temp = temp
	if p.into, err = oci.NewStorage(temp); err != nil {
		return nil, errors.Join(err, os.RemoveAll(temp))
	}
	p.store = p.into
	return p, nil
}

func (p *puller) close() error {
	err := p.from.close()
	if p.temp != "" {
		err = errors.Join(err, os.RemoveAll(p.temp))
	}
	return err
}

func (p *puller) artifact(ctx context.Context, ref Reference) (*Artifact, error) {
	descriptor, data, err := p.manifest(ctx, p.from.manifest)
	if err != nil {
		return nil, err
	}
	var m ocispec.Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("manifest %s: %w", descriptor.Digest, err)
	}
	if err := p.client.options.Limits.check(m); err != nil {
		return nil, err
	}
	if err := p.fetchAll(ctx, append([]ocispec.Descriptor{m.Config}, m.Layers...)); err != nil {
		return nil, err
	}
	a := &Artifact{
		Reference: ref, Descriptor: fromOCI(descriptor), Type: or(m.ArtifactType, m.Config.MediaType),
		Annotations: m.Annotations, Config: p.layer(m.Config),
	}
	for _, l := range m.Layers {
		a.Layers = append(a.Layers, p.layer(l))
	}
	a.Labels, err = labels(ctx, a.Config)
	return a, err
}

func (p *puller) layer(d ocispec.Descriptor) Layer {
	return Layer{Descriptor: fromOCI(d), Annotations: d.Annotations, from: p.store}
}

// labels reads the labels of an image; other artifacts have none.
func labels(ctx context.Context, config Layer) (map[string]string, error) {
	if config.MediaType != ocispec.MediaTypeImageConfig && config.MediaType != dockerConfig {
		return nil, nil
	}
	data, err := config.ReadAll(ctx)
	if err != nil {
		return nil, err
	}
	var image ocispec.Image
	if err := json.Unmarshal(data, &image); err != nil {
		return nil, fmt.Errorf("config %s: %w", config.Digest, err)
	}
	return image.Config.Labels, nil
}

// manifest reads a manifest, by way of an index if there is one.
func (p *puller) manifest(ctx context.Context, d ocispec.Descriptor) (ocispec.Descriptor, []byte, error) {
	data, err := p.small(ctx, d)
	if err != nil {
		return d, nil, err
	}
	switch d.MediaType {
	case ocispec.MediaTypeImageManifest, dockerManifest:
		return d, data, nil
	case ocispec.MediaTypeImageIndex, dockerIndex:
	default:
		return d, nil, fmt.Errorf("wanted a manifest or an index, found %q", d.MediaType)
	}
	var index ocispec.Index
	if err := json.Unmarshal(data, &index); err != nil {
		return d, nil, fmt.Errorf("index %s: %w", d.Digest, err)
	}
	chosen, err := choose(index, p.client.options.Platform)
	if err != nil {
		return d, nil, err
	}
	if data, err = p.small(ctx, chosen); err != nil {
		return d, nil, err
	}
	return chosen, data, nil
}

// small fetches a manifest and gives its content.
func (p *puller) small(ctx context.Context, d ocispec.Descriptor) ([]byte, error) {
	if limit := p.client.options.Limits.Manifest; d.Size < 0 || d.Size > limit {
		return nil, fmt.Errorf("%w: a manifest of %d bytes, the limit is %d", ErrTooLarge, d.Size, limit)
	}
	if err := p.fetch(ctx, d); err != nil {
		return nil, err
	}
	data, err := content.FetchAll(ctx, p.store, plain(d))
	if err != nil {
		return nil, fmt.Errorf("manifest %s: %w", d.Digest, err)
	}
	return data, nil
}

func (p *puller) fetchAll(ctx context.Context, blobs []ocispec.Descriptor) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	var started []string
	for _, d := range blobs {
		if slices.Contains(started, d.Digest.String()) {
			continue
		}
		started = append(started, d.Digest.String())
		group.Go(func() error { return p.fetch(ctx, d) })
	}
	return group.Wait()
}

// fetch puts one blob into the store, unless it is there. What is there under
// its digest and damaged is fetched anew.
func (p *puller) fetch(ctx context.Context, d ocispec.Descriptor) error {
	d = plain(d)
	if err := d.Digest.Validate(); err != nil {
		return fmt.Errorf("%w: digest %q: %w", ErrCorrupt, d.Digest, err)
	}
	if p.into == nil {
		return p.present(ctx, d)
	}
	if p.cache != nil && p.cache.has(ctx, d, p.client.options.Now()) {
		return nil
	}
	return p.client.repeat(ctx, func(ctx context.Context) error {
		in, err := watch(ctx, p.client.options.Retry.Stall, func(ctx context.Context) (io.ReadCloser, error) {
			return p.from.Fetch(ctx, d)
		})
		if err != nil {
			return err
		}
		defer in.Close()
		return stored(p.into.Push(ctx, d, newVerified(in, d)))
	})
}

// present checks content where it is: a layout, or the cache when offline.
func (p *puller) present(ctx context.Context, d ocispec.Descriptor) error {
	in, err := p.from.Fetch(ctx, d)
	if err != nil {
		return fmt.Errorf("%s: %w", d.Digest, err)
	}
	return in.Close()
}

// choose picks the manifest of a platform from an index. The only one there is
// fits always: what has no programs is built for one platform.
func choose(index ocispec.Index, platform string) (ocispec.Descriptor, error) {
	var all []ocispec.Descriptor
	var names []string
	for _, m := range index.Manifests {
		name := platformName(m.Platform)
		if name == platform {
			return m, nil
		}
		if name == "unknown/unknown" { // what attestations are kept under
			continue
		}
		all, names = append(all, m), append(names, name)
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return ocispec.Descriptor{}, fmt.Errorf("%w: the index has nothing for %s, but %s", ErrNotFound, platform, listed(names))
}

func platformName(p *ocispec.Platform) string {
	if p == nil {
		return "any platform"
	}
	name := p.OS + "/" + p.Architecture
	if p.Variant != "" {
		name += "/" + p.Variant
	}
	return name
}

// check holds a manifest to the limits.
func (l Limits) check(m ocispec.Manifest) error {
	if len(m.Layers) > l.Layers {
		return fmt.Errorf("%w: %d layers, the limit is %d", ErrTooLarge, len(m.Layers), l.Layers)
	}
	if m.Config.Size < 0 || m.Config.Size > l.Config {
		return fmt.Errorf("%w: a config of %d bytes, the limit is %d", ErrTooLarge, m.Config.Size, l.Config)
	}
	var total int64
	for i, layer := range m.Layers {
		if layer.Size < 0 || layer.Size > l.Layer {
			return fmt.Errorf("%w: layer %d has %d bytes, the limit is %d", ErrTooLarge, i+1, layer.Size, l.Layer)
		}
		if total += layer.Size; total > l.Total {
			return fmt.Errorf("%w: the layers have more than %d bytes in all", ErrTooLarge, l.Total)
		}
	}
	return nil
}
