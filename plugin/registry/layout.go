package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/content/oci"
)

// maxIndex bounds the index of a layout in bytes.
const maxIndex = 4 << 20

// layout is an OCI layout directory, read through a handle that nothing in it
// leads out of.
type layout struct {
	content.Fetcher
	root  *os.Root
	index ocispec.Index
}

// IsLayout tells whether a directory is an OCI layout.
func IsLayout(dir string) bool {
	info, err := os.Stat(dir + string(os.PathSeparator) + ocispec.ImageLayoutFile)
	return err == nil && info.Mode().IsRegular()
}

func openLayout(dir string) (*layout, error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: there is no directory %s", ErrNotFound, dir)
	}
	if err != nil {
		return nil, fmt.Errorf("open layout: %w", err)
	}
	l := &layout{root: root, Fetcher: oci.NewStorageFromFS(root.FS())}
	if err := l.read(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s is no OCI layout: %w", dir, err), root.Close())
	}
	return l, nil
}

func (l *layout) read() error {
	var version ocispec.ImageLayout
	if err := l.readJSON(ocispec.ImageLayoutFile, &version); err != nil {
		return err
	}
	if version.Version != ocispec.ImageLayoutVersion {
		return fmt.Errorf("%s: wanted version %s, found %q", ocispec.ImageLayoutFile, ocispec.ImageLayoutVersion, version.Version)
	}
	return l.readJSON(ocispec.ImageIndexFile, &l.index)
}

func (l *layout) readJSON(name string, into any) error {
	in, err := l.root.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, maxIndex+1))
	switch {
	case err != nil:
		return err
	case len(data) > maxIndex:
		return fmt.Errorf("%s: %w: over %d bytes", name, ErrTooLarge, maxIndex)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Close gives up the directory.
func (l *layout) Close() error { return l.root.Close() }

func (l *layout) tags() []string {
	var tags []string
	for _, m := range l.index.Manifests {
		if tag := m.Annotations[ocispec.AnnotationRefName]; tag != "" {
			tags = append(tags, tag)
		}
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// find gives the manifest that a reference means.
func (l *layout) find(ref Reference) (ocispec.Descriptor, error) {
	var found []ocispec.Descriptor
	for _, m := range l.index.Manifests {
		if !matches(m, ref) || slices.ContainsFunc(found, func(f ocispec.Descriptor) bool { return f.Digest == m.Digest }) {
			continue
		}
		found = append(found, m)
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		return ocispec.Descriptor{}, fmt.Errorf("%w; the layout has the tags %s", ErrNotFound, listed(l.tags()))
	}
	return ocispec.Descriptor{}, fmt.Errorf("the layout holds %d artifacts that fit; name a tag: %s",
		len(found), strings.Join(l.tags(), ", "))
}

func matches(m ocispec.Descriptor, ref Reference) bool {
	switch {
	case ref.Digest != "":
		return m.Digest.String() == ref.Digest
	case ref.Tag != "":
		return m.Annotations[ocispec.AnnotationRefName] == ref.Tag
	}
	return true
}

// plain leaves only what identifies content.
func plain(d ocispec.Descriptor) ocispec.Descriptor {
	return ocispec.Descriptor{MediaType: d.MediaType, Digest: d.Digest, Size: d.Size}
}

// pushTo writes an image into a layout directory, which is made if it is not
// there. A tag that is there moves.
func pushTo(ctx context.Context, dir string, p packed, tag string) error {
	if err := makeLayout(dir); err != nil {
		return fmt.Errorf("make layout: %w", err)
	}
	store, err := oci.NewWithContext(ctx, dir)
	if err != nil {
		return fmt.Errorf("open layout %s: %w", dir, err)
	}
	for _, b := range append(p.blobs, p.manifest) {
		there, err := store.Exists(ctx, b.descriptor)
		if err != nil {
			return err
		}
		if there {
			continue
		}
		if err := store.Push(ctx, b.descriptor, b.reader()); err != nil {
			return fmt.Errorf("write %s: %w", b.descriptor.Digest, err)
		}
	}
	return store.Tag(ctx, p.manifest.descriptor, tag)
}

// makeLayout makes the directory of a layout. One that holds something else is
// left alone.
func makeLayout(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 && !IsLayout(dir) {
		err = fmt.Errorf("%s is no layout and not empty", dir)
	}
	return err
}
