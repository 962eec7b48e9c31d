package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content/oci"
)

// cache is a directory of blobs by digest, as in a layout:
//
//	blobs/sha256/HEX   content
//	refs/HEX           what a tag was when it was last seen; HEX is the SHA-256
//	                   of the reference, so no name of a server becomes a path
//	ingest/            content that is being written
//
// Several processes may use it at once: files appear whole, by a rename.
type cache struct {
	dir     string
	storage *oci.Storage
}

// openCache opens the cache of the options. Without one, or without a right to it,
// nothing is kept.
func (c *Client) openCache() *cache {
	if c.options.CacheDir == "" {
		return nil
	}
	opened, err := openCache(c.options.CacheDir)
	if err != nil {
		c.warn(err.Error() + "; nothing is kept")
		return nil
	}
	return opened
}

func (c *Client) warn(text string) {
	if c.options.Warn != nil {
		c.options.Warn(text)
	}
}

func openCache(dir string) (*cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cache of registries: %w", err)
	}
	storage, err := oci.NewStorage(dir)
	if err != nil {
		return nil, fmt.Errorf("cache of registries: %w", err)
	}
	return &cache{dir: dir, storage: storage}, nil
}

// has tells whether the content is there and undamaged, and notes that it was
// used. A damaged entry is removed.
func (c *cache) has(ctx context.Context, want ocispec.Descriptor, now time.Time) bool {
	in, err := c.storage.Fetch(ctx, want)
	if err != nil {
		return false
	}
	v := newVerified(in, want)
	_, err = io.Copy(io.Discard, v)
	if err = errors.Join(err, v.Close()); err != nil {
		c.drop(ctx, want)
		return false
	}
	c.touch(c.blobPath(want.Digest), now)
	return true
}

// drop removes an entry. One that is gone already or can't be removed is found
// out by who writes it next.
func (c *cache) drop(ctx context.Context, d ocispec.Descriptor) {
	_ = c.storage.Delete(ctx, d)
}

// touch notes that an entry was used. A read-only cache just ages.
func (c *cache) touch(path string, now time.Time) {
	_ = os.Chtimes(path, now, now)
}

func (c *cache) blobPath(d digest.Digest) string {
	return filepath.Join(c.dir, "blobs", d.Algorithm().String(), d.Encoded())
}

// seen is what a file below refs holds.
type seen struct {
	Reference string             `json:"reference"`
	Manifest  ocispec.Descriptor `json:"manifest"`
}

func (c *cache) refPath(ref Reference) string {
	sum := sha256.Sum256([]byte(ref.String()))
	return filepath.Join(c.dir, "refs", hex.EncodeToString(sum[:]))
}

// note remembers what a tag is now.
func (c *cache) note(ref Reference, manifest ocispec.Descriptor, now time.Time) error {
	path := c.refPath(ref)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("cache of registries: %w", err)
	}
	manifest = ocispec.Descriptor{MediaType: manifest.MediaType, Digest: manifest.Digest, Size: manifest.Size}
	data, err := json.Marshal(seen{Reference: ref.String(), Manifest: manifest})
	if err != nil {
		return err
	}
	if err := writeWhole(path, data); err != nil {
		return err
	}
	c.touch(path, now)
	return nil
}

// recall gives what a tag was when it was last seen.
func (c *cache) recall(ref Reference, now time.Time) (ocispec.Descriptor, error) {
	path := c.refPath(ref)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return ocispec.Descriptor{}, fmt.Errorf("%w: it was never fetched on this machine, or too long ago", ErrOffline)
	}
	if err != nil {
		return ocispec.Descriptor{}, fmt.Errorf("cache of registries: %w", err)
	}
	var s seen
	if err := json.Unmarshal(data, &s); err != nil || s.Reference != ref.String() {
		return ocispec.Descriptor{}, fmt.Errorf("%w: %s is damaged", ErrOffline, path)
	}
	c.touch(path, now)
	return s.Manifest, nil
}

// writeWhole writes a file that appears with all its content or not at all.
func writeWhole(path string, data []byte) error {
	out, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	err = errors.Join(err, out.Close())
	if err == nil {
		err = os.Rename(out.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, errors.Join(err, os.Remove(out.Name())))
	}
	return nil
}

// prune removes entries that nobody used since a time, and what writers left
// behind. It gives the bytes that it freed.
func (c *cache) prune(since time.Time) (freed int64, err error) {
	for _, dir := range []string{"blobs", "refs", "ingest"} {
		walked := filepath.WalkDir(filepath.Join(c.dir, dir), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return ignoreMissing(err)
			}
			if !entry.Type().IsRegular() {
				return nil
			}
			info, err := entry.Info()
			if err != nil || !info.ModTime().Before(since) {
				return ignoreMissing(err)
			}
			if err := os.Remove(path); err != nil {
				return ignoreMissing(err)
			}
			freed += info.Size()
			return nil
		})
		err = errors.Join(err, walked)
	}
	return freed, err
}

// ignoreMissing is for files that another process removed first.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// PruneCache removes what was not used for Options.CacheAge, and gives the bytes
// that it freed. A client does the same by itself with the first pull that fills
// the cache.
func (c *Client) PruneCache() (freed int64, err error) {
	cache := c.cache()
	if cache == nil {
		return 0, nil
	}
	freed, err = cache.prune(c.options.Now().Add(-c.options.CacheAge))
	if err != nil {
		return freed, fmt.Errorf("tidy the cache of registries: %w", err)
	}
	return freed, nil
}

// pruneOnce tidies the cache once. That it can't be tidied spoils no pull.
func (c *Client) pruneOnce() {
	c.pruned.Do(func() {
		if _, err := c.PruneCache(); err != nil {
			c.warn(err.Error())
		}
	})
}
