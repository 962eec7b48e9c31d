package registry

import (
	"context"
	"errors"
	"fmt"

	"oras.land/oras-go/v2/registry/remote"
)

// PushOptions say what a push may do.
type PushOptions struct {
	// Overwrite moves a tag that is there with another content. Without it that
	// is ErrExists. The same content is fine always, and pushes nothing.
	Overwrite bool
}

// Pushed tells what a push did.
type Pushed struct {
	Descriptor
	// Unchanged means that the tag had this very content before.
	Unchanged bool
}

// Push puts an image at a tag of a repository or layout. The tag is set last, so
// that what is found there is whole.
func (c *Client) Push(ctx context.Context, ref Reference, image Image, o PushOptions) (Pushed, error) {
	pushed, err := c.push(ctx, ref, image, o)
	if err != nil {
		return Pushed{}, c.fail(ctx, "push", ref, err)
	}
	return pushed, nil
}

func (c *Client) push(ctx context.Context, ref Reference, image Image, o PushOptions) (Pushed, error) {
	if ref.Tag == "" || ref.Digest != "" {
		return Pushed{}, errors.New("wanted a reference with a tag and without a digest")
	}
	p, err := image.pack()
	if err != nil {
		return Pushed{}, err
	}
	pushed := Pushed{Descriptor: fromOCI(p.manifest.descriptor)}
	there, err := c.at(ctx, ref)
	switch {
	case err != nil:
		return Pushed{}, err
	case there == pushed.Digest:
		pushed.Unchanged = true
		return pushed, nil
	case there != "" && !o.Overwrite:
		return Pushed{}, fmt.Errorf("%w, with another content: wanted %s, found %s", ErrExists, pushed.Digest, there)
	}
	if ref.IsLayout() {
		return pushed, pushTo(ctx, ref.Layout, p, ref.Tag)
	}
	repository, err := c.repository(ref)
	if err != nil {
		return Pushed{}, err
	}
	return pushed, c.upload(ctx, repository, p, ref.Tag)
}

// at gives the digest of what is at a tag now; "" for nothing.
func (c *Client) at(ctx context.Context, ref Reference) (string, error) {
	if ref.IsLayout() && !IsLayout(ref.Layout) {
		return "", nil
	}
	from, err := c.source(ctx, ref)
	if err != nil {
		if errors.Is(kindOf(err), ErrNotFound) {
			return "", nil
		}
		return "", err
	}
	return from.manifest.Digest.String(), from.close()
}

func (c *Client) upload(ctx context.Context, to *remote.Repository, p packed, tag string) error {
	for _, b := range p.blobs {
		err := c.repeat(ctx, func(ctx context.Context) error {
			there, err := to.Exists(ctx, b.descriptor)
			if err != nil || there {
				return err
			}
			return stored(to.Push(ctx, b.descriptor, b.reader()))
		})
		if err != nil {
			return fmt.Errorf("upload %s: %w", b.descriptor.Digest, err)
		}
	}
	return c.repeat(ctx, func(ctx context.Context) error {
		return to.PushReference(ctx, p.manifest.descriptor, p.manifest.reader(), tag)
	})
}
