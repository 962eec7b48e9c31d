package registry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry/archive"
)

// unpackAnnotation marks a layer that is a directory as a tar, as the oras
// command line writes it.
const unpackAnnotation = "io.deis.oras.content.unpack"

// Extract unpacks all layers into a directory that is not there yet, the later
// over the earlier: archives, and single files under their titles. The directory
// appears when everything in it is whole; after an error there is none.
func (a *Artifact) Extract(ctx context.Context, dir string, limits archive.Limits) error {
	if _, err := os.Lstat(dir); err == nil {
		return fmt.Errorf("unpack %s: %s is there already", a.Reference, dir)
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), ".tazuna-unpack-")
	if err != nil {
		return fmt.Errorf("unpack %s: %w", a.Reference, err)
	}
	err = a.ExtractInto(ctx, temp, limits)
	if err == nil {
		err = os.Chmod(temp, 0o755)
	}
	if err == nil {
		err = os.Rename(temp, dir)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(temp))
	}
	return nil
}

// ExtractInto is Extract into an empty directory. After an error it holds what
// was unpacked so far.
func (a *Artifact) ExtractInto(ctx context.Context, dir string, limits archive.Limits) error {
	x, err := archive.New(dir, limits)
	if err != nil {
		return err
	}
	for i, l := range a.Layers {
		if err := l.extract(ctx, x); err != nil {
			return errors.Join(fmt.Errorf("unpack %s: layer %d (%q): %w", a.Reference, i+1, l.MediaType, err), x.Abandon())
		}
	}
	if err := x.Close(); err != nil {
		return fmt.Errorf("unpack %s: %w", a.Reference, err)
	}
	return nil
}

func (l Layer) extract(ctx context.Context, x *archive.Extractor) error {
	isArchive := l.IsArchive()
	if !isArchive && l.Title() == "" {
		return errors.New("wanted an archive, or a file with a title")
	}
	in, err := l.Open(ctx)
	if err != nil {
		return err
	}
	defer in.Close()
	if isArchive {
		return x.Tar(ctx, in)
	}
	return x.File(ctx, l.Title(), l.Size, in)
}

// IsArchive tells whether the layer is a tar archive, compressed or not, going by
// its media type, or by the mark of the oras command line.
func (l Layer) IsArchive() bool {
	return strings.Contains(l.MediaType, ".tar") || strings.HasSuffix(l.MediaType, "/x-tar") ||
		l.Annotations[unpackAnnotation] == "true"
}
