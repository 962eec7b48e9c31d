package registry

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cached is a server with a sample, and how to make clients of one cache.
type cached struct {
	*server
	ref       Reference
	dir       string
	transfers atomic.Int64 // of blobs and manifests
}

func newCached(t *testing.T) *cached {
	t.Helper()
	c := &cached{server: plainServer(t), dir: filepath.Join(t.TempDir(), "cache")}
	c.ref = reference(t, c.host+"/org/app:v1")
	_, err := newClient(t, Options{PlainHTTP: true}).Push(t.Context(), c.ref, sample(t), PushOptions{})
	require.NoError(t, err)
	c.before = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet {
			c.transfers.Add(1)
		}
		return false
	}
	return c
}

func (c *cached) client(t *testing.T, change func(*Options)) *Client {
	t.Helper()
	o := Options{PlainHTTP: true, CacheDir: c.dir}
	if change != nil {
		change(&o)
	}
	return newClient(t, o)
}

func offline(o *Options) { o.Offline = true }

func TestTheCacheSavesTransfers(t *testing.T) {
	c := newCached(t)
	digest := mustDigest(t, sample(t))
	checkSample(t, c.client(t, nil), c.ref, digest)
	assert.Equal(t, int64(4), c.transfers.Load(), "manifest, config and two layers")
	checkSample(t, c.client(t, nil), c.ref, digest)
	assert.Equal(t, int64(4), c.transfers.Load(), "nothing is transferred twice")
	info, err := os.Stat(c.dir)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm(), "packages may be private")
}

func TestOffline(t *testing.T) {
	c := newCached(t)
	digest := mustDigest(t, sample(t))
	_, err := c.client(t, offline).Pull(t.Context(), c.ref)
	require.ErrorIs(t, err, ErrOffline)
	assert.ErrorContains(t, err, "it was never fetched")
	checkSample(t, c.client(t, nil), c.ref, digest)
	c.Close() // nobody could be asked
	checkSample(t, c.client(t, offline), c.ref, digest)
	checkSample(t, c.client(t, offline), c.ref.WithDigest(digest), digest)
	_, err = c.client(t, offline).Pull(t.Context(), c.ref.WithTag("v2"))
	require.ErrorIs(t, err, ErrOffline)
	_, err = c.client(t, offline).Tags(t.Context(), c.ref)
	require.ErrorIs(t, err, ErrOffline)
	_, err = newClient(t, Options{Offline: true}).Pull(t.Context(), c.ref)
	require.ErrorIs(t, err, ErrOffline, "without a cache")
}

// TestF2ATagMayMove: the cache saves the transfer, never the question.
func TestF2ATagMayMove(t *testing.T) {
	c := newCached(t)
	client := c.client(t, nil)
	checkSample(t, client, c.ref, mustDigest(t, sample(t)))
	moved, err := client.Push(t.Context(), c.ref, Image{Type: "application/vnd.test"}, PushOptions{Overwrite: true})
	require.NoError(t, err)
	a, err := client.Pull(t.Context(), c.ref)
	require.NoError(t, err)
	assert.Equal(t, moved.Digest, a.Descriptor.Digest)
	a, err = c.client(t, offline).Pull(t.Context(), c.ref)
	require.NoError(t, err)
	assert.Equal(t, moved.Digest, a.Descriptor.Digest)
}

// TestF3DamagedEntriesAreFetchedAnew: what is in the cache is verified, not
// believed.
func TestF3DamagedEntriesAreFetchedAnew(t *testing.T) {
	c := newCached(t)
	digest := mustDigest(t, sample(t))
	checkSample(t, c.client(t, nil), c.ref, digest)
	damage(t, c.dir)
	_, err := c.client(t, offline).Pull(t.Context(), c.ref)
	require.ErrorIs(t, err, ErrCorrupt, "and never given out")
	checkSample(t, c.client(t, nil), c.ref, digest)
	checkSample(t, c.client(t, offline), c.ref, digest)
}

// damage changes every blob of a cache.
func damage(t *testing.T, dir string) {
	t.Helper()
	blobs, err := filepath.Glob(filepath.Join(dir, "blobs", "sha256", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, blobs)
	for _, b := range blobs {
		data, err := os.ReadFile(b)
		require.NoError(t, err)
		data[len(data)/2] ^= 1
		require.NoError(t, os.Remove(b))
		require.NoError(t, os.WriteFile(b, data, 0o444))
	}
}

// TestALayerIsVerifiedWhenItIsRead: between Pull and Open somebody may write.
func TestALayerIsVerifiedWhenItIsRead(t *testing.T) {
	c := newCached(t)
	a, err := c.client(t, nil).Pull(t.Context(), c.ref)
	require.NoError(t, err)
	damage(t, c.dir)
	_, err = a.Layers[0].ReadAll(t.Context())
	assert.ErrorIs(t, err, ErrCorrupt)
}

func TestPruneCache(t *testing.T) {
	c := newCached(t)
	digest := mustDigest(t, sample(t))
	now := time.Now()
	at := func(age time.Duration) func(*Options) {
		return func(o *Options) { o.Now = func() time.Time { return now.Add(age) } }
	}
	checkSample(t, c.client(t, at(0)), c.ref, digest)
	freed, err := c.client(t, at(20*24*time.Hour)).PruneCache()
	require.NoError(t, err)
	assert.Zero(t, freed)
	checkSample(t, c.client(t, at(20*24*time.Hour)), c.ref, digest) // used again
	freed, err = c.client(t, at(40*24*time.Hour)).PruneCache()
	require.NoError(t, err)
	assert.Zero(t, freed, "what is used stays")
	checkSample(t, c.client(t, offline), c.ref, digest)
	freed, err = c.client(t, at(90*24*time.Hour)).PruneCache()
	require.NoError(t, err)
	assert.Positive(t, freed)
	_, err = c.client(t, offline).Pull(t.Context(), c.ref)
	require.ErrorIs(t, err, ErrOffline)
	freed, err = newClient(t, Options{}).PruneCache()
	require.NoError(t, err)
	assert.Zero(t, freed)
}

func TestAPullTidiesTheCache(t *testing.T) {
	c := newCached(t)
	old := filepath.Join(c.dir, "blobs", "sha256", "old")
	require.NoError(t, os.MkdirAll(filepath.Dir(old), 0o700))
	require.NoError(t, os.WriteFile(old, nil, 0o600))
	require.NoError(t, os.Chtimes(old, time.Unix(0, 0), time.Unix(0, 0)))
	checkSample(t, c.client(t, nil), c.ref, mustDigest(t, sample(t)))
	assert.NoFileExists(t, old)
}

func TestManyAtOnceShareACache(t *testing.T) {
	c := newCached(t)
	digest := mustDigest(t, sample(t))
	var group sync.WaitGroup
	for range 8 {
		client := c.client(t, nil)
		group.Go(func() {
			a, err := client.Pull(t.Context(), c.ref)
			if assert.NoError(t, err) {
				assert.Equal(t, digest, a.Descriptor.Digest)
			}
		})
	}
	group.Wait()
	left, err := filepath.Glob(filepath.Join(c.dir, "ingest", "*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// TestNamesOfServersAreNoPaths: what a server or a user calls things decides
// nothing about files.
func TestNamesOfServersAreNoPaths(t *testing.T) {
	c := newCached(t)
	checkSample(t, c.client(t, nil), c.ref, mustDigest(t, sample(t)))
	refs, err := os.ReadDir(filepath.Join(c.dir, "refs"))
	require.NoError(t, err)
	assert.Len(t, refs, 2, "by tag and by digest")
	for _, r := range refs {
		assert.Len(t, r.Name(), 64)
		data, err := os.ReadFile(filepath.Join(c.dir, "refs", r.Name()))
		require.NoError(t, err)
		wrong := strings.ReplaceAll(string(data), "org/app", "org/other")
		require.NoError(t, os.WriteFile(filepath.Join(c.dir, "refs", r.Name()), []byte(wrong), 0o600))
	}
	_, err = c.client(t, offline).Pull(t.Context(), c.ref)
	assert.ErrorContains(t, err, "is damaged")
}
