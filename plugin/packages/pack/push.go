package pack

import (
	"context"
	"errors"
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/repository"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
)

// Published is one thing that was put somewhere.
type Published struct {
	Reference registry.Reference
	Digest    string
	// Unchanged means that it was there before.
	Unchanged bool
}

// Push publishes the images: the bundle, the metadata, and, unless the package is
// listed already, the tag that lists it. Without overwrite, a version that is
// there with another content is registry.ErrExists, and nothing is written.
func (i *Images) Push(ctx context.Context, to repository.Repository, overwrite bool) ([]Published, error) {
	steps := []struct {
		ref   registry.Reference
		image registry.Image
	}{
		{to.Bundle(i.Name, i.Version), i.Bundle},
		{to.Metadata(i.Name, i.Version), i.Metadata},
	}
	for _, s := range steps {
		if overwrite {
			break
		}
		if err := isFree(ctx, to.Client, s.ref, s.image); err != nil {
			return nil, err
		}
	}
	var done []Published
	for _, s := range steps {
		pushed, err := to.Client.Push(ctx, s.ref, s.image, registry.PushOptions{Overwrite: overwrite})
		if err != nil {
			return done, err
		}
		done = append(done, Published{Reference: s.ref, Digest: pushed.Digest, Unchanged: pushed.Unchanged})
	}
	if to.Root.IsLayout() {
		return done, nil
	}
	listed, err := list(ctx, to, i.Name)
	return append(done, listed...), err
}

// isFree wants nothing, or the same content, where an image is to go.
func isFree(ctx context.Context, c *registry.Client, ref registry.Reference, image registry.Image) error {
	want, err := image.Digest()
	if err != nil {
		return err
	}
	there, err := c.Resolve(ctx, ref)
	switch {
	case errors.Is(err, registry.ErrNotFound):
		return nil
	case err != nil:
		return err
	case there.Digest != want:
		return fmt.Errorf("publish %s: %w, with another content: wanted %s, found %s; "+
			"raise the version, or say that it is to be overwritten", ref, registry.ErrExists, want, there.Digest)
	}
	return nil
}

// list makes a package listed. What a tag that is there holds doesn't matter.
func list(ctx context.Context, to repository.Repository, name string) ([]Published, error) {
	ref := to.Listing(name)
	there, err := to.Client.Resolve(ctx, ref)
	switch {
	case err == nil:
		return []Published{{Reference: ref, Digest: there.Digest, Unchanged: true}}, nil
	case !errors.Is(err, registry.ErrNotFound):
		return nil, err
	}
	pushed, err := to.Client.Push(ctx, ref, registry.Image{Type: listingType}, registry.PushOptions{})
	if err != nil {
		return nil, err
	}
	return []Published{{Reference: ref, Digest: pushed.Digest}}, nil
}

// listingType is what the tag that lists a package points to: an artifact without
// content.
const listingType = "application/vnd.tazuna.package.listing.v1"
