package main

import (
	"context"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/content/oci"
	"oras.land/oras-go/v2/registry/remote"
)

// push copies an index of images into a repository, by way of a layout in dir, and
// returns its reference.
func push(ctx context.Context, index v1.ImageIndex, dir, repository, tag string) (string, error) {
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		return "", err
	}
	if err := path.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": tag})); err != nil {
		return "", err
	}
	from, err := oci.New(dir)
	if err != nil {
		return "", err
	}
	to, err := plain(repository)
	if err != nil {
		return "", err
	}
	if _, err := oras.Copy(ctx, from, tag, to, tag, oras.DefaultCopyOptions); err != nil {
		return "", fmt.Errorf("push %s:%s: %w", repository, tag, err)
	}
	return repository + ":" + tag, nil
}

// pull copies an index of images out of a repository into a layout in dir, and reads it
// there.
func pull(ctx context.Context, repository, tag, dir string) (v1.ImageIndex, error) {
	from, err := plain(repository)
	if err != nil {
		return nil, err
	}
	to, err := oci.New(dir)
	if err != nil {
		return nil, err
	}
	found, err := oras.Copy(ctx, from, tag, to, tag, oras.DefaultCopyOptions)
	if err != nil {
		return nil, fmt.Errorf("pull %s:%s: %w", repository, tag, err)
	}
	all, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return nil, err
	}
	digest, err := v1.NewHash(found.Digest.String())
	if err != nil {
		return nil, err
	}
	return all.ImageIndex(digest)
}

// plain is a repository that is asked without TLS: that of this process.
func plain(repository string) (*remote.Repository, error) {
	r, err := remote.NewRepository(repository)
	if err != nil {
		return nil, err
	}
	r.PlainHTTP = true
	return r, nil
}
