package registry

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry/archive"
)

// TestPushAndPull goes the whole way over each kind of place.
func TestPushAndPull(t *testing.T) {
	plain := plainServer(t)
	secure, ca := secureServer(t)
	for name, tt := range map[string]struct {
		name    string
		options Options
	}{
		"plain HTTP":          {plain.host + "/org/app", Options{PlainHTTP: true}},
		"TLS and flags":       {secure.host + "/org/flags", Options{CAFile: ca, Credentials: Credentials{Username: user, Password: password}}},
		"TLS and a file":      {secure.host + "/org/file", Options{CAFile: ca, CredentialFiles: []string{"not-there", credentialsFile(t, secure.host, user, password)}}},
		"without certificate": {secure.host + "/org/insecure", Options{Insecure: true, Credentials: Credentials{Host: secure.host, Username: user, Password: password}}},
		"a cache":             {plain.host + "/org/cached", Options{PlainHTTP: true, CacheDir: filepath.Join(t.TempDir(), "cache")}},
		"a layout":            {LayoutPrefix + filepath.Join(t.TempDir(), "layout"), Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, tt.options)
			ref := reference(t, tt.name).WithTag("v1")
			image := sample(t)
			want, err := image.Digest()
			require.NoError(t, err)

			_, err = c.Resolve(t.Context(), ref)
			require.ErrorIs(t, err, ErrNotFound)
			pushed, err := c.Push(t.Context(), ref, image, PushOptions{})
			require.NoError(t, err)
			assert.Equal(t, want, pushed.Digest)
			assert.False(t, pushed.Unchanged)
			again, err := c.Push(t.Context(), ref, image, PushOptions{})
			require.NoError(t, err)
			assert.True(t, again.Unchanged)

			for _, at := range []Reference{ref, ref.WithDigest(want), {Host: ref.Host, Repository: ref.Repository, Layout: ref.Layout, Tag: "other", Digest: want}} {
				checkSample(t, c, at, want)
			}
			_, err = c.Push(t.Context(), ref.WithTag("a0"), image, PushOptions{})
			require.NoError(t, err)
			tags, err := c.Tags(t.Context(), ref)
			require.NoError(t, err)
			assert.Equal(t, []string{"a0", "v1"}, tags)
		})
	}
}

// checkSample pulls what sample made and unpacks it.
func checkSample(t *testing.T, c *Client, ref Reference, digest string) {
	t.Helper()
	a, err := c.Pull(t.Context(), ref)
	require.NoError(t, err)
	assert.Equal(t, digest, a.Descriptor.Digest)
	assert.Equal(t, map[string]string{"kind": "sample"}, a.Labels)
	assert.Equal(t, map[string]string{"made": "for a test"}, a.Annotations)
	assert.Equal(t, ocispec.MediaTypeImageConfig, a.Type)
	dir := filepath.Join(t.TempDir(), "out")
	require.NoError(t, a.Extract(t.Context(), dir, archive.DefaultLimits()))
	for name, want := range map[string]string{"a.txt": "one", "d/b.txt": "two"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Equal(t, want, string(data))
	}
	require.NoError(t, a.Close())
	temps, err := os.ReadDir(c.options.TempDir)
	require.NoError(t, err)
	assert.Empty(t, temps, "nothing is left behind")
}

func TestPushRefusesToOverwrite(t *testing.T) {
	s := plainServer(t)
	c := newClient(t, Options{PlainHTTP: true})
	for name, ref := range map[string]Reference{
		"registry": reference(t, s.host+"/app:v1"),
		"layout":   {Layout: filepath.Join(t.TempDir(), "layout"), Tag: "v1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.Push(t.Context(), ref, sample(t), PushOptions{})
			require.NoError(t, err)
			other := Image{Type: "application/vnd.test"}
			want, err := other.Digest()
			require.NoError(t, err)
			_, err = c.Push(t.Context(), ref, other, PushOptions{})
			require.ErrorIs(t, err, ErrExists)
			assert.ErrorContains(t, err, want, "both digests are named")
			_, err = c.Push(t.Context(), ref, other, PushOptions{Overwrite: true})
			require.NoError(t, err)
			now, err := c.Resolve(t.Context(), ref)
			require.NoError(t, err)
			assert.Equal(t, want, now.Digest)
		})
	}
	_, err := c.Push(t.Context(), reference(t, s.host+"/app"), sample(t), PushOptions{})
	assert.ErrorContains(t, err, "wanted a reference with a tag")
	full := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(full, "mine"), nil, 0o600))
	_, err = c.Push(t.Context(), Reference{Layout: full, Tag: "v1"}, sample(t), PushOptions{})
	assert.ErrorContains(t, err, "is no layout and not empty")
}

// TestRow67NoCredentialsInErrors has a server that repeats what it was sent.
func TestRow67NoCredentialsInErrors(t *testing.T) {
	s, ca := secureServer(t)
	ref := reference(t, s.host+"/app:v1")
	wrong := "wr0ng-battery-staple"
	c := newClient(t, Options{CAFile: ca, Credentials: Credentials{Username: user, Password: wrong}})
	for name, try := range map[string]func() error{
		"pull":    func() error { _, err := c.Pull(t.Context(), ref); return err },
		"push":    func() error { _, err := c.Push(t.Context(), ref, sample(t), PushOptions{}); return err },
		"tags":    func() error { _, err := c.Tags(t.Context(), ref); return err },
		"resolve": func() error { _, err := c.Resolve(t.Context(), ref); return err },
	} {
		err := try()
		require.ErrorIs(t, err, ErrDenied, name)
		for err != nil {
			assert.NotContains(t, err.Error(), wrong, name)
			assert.NotContains(t, err.Error(), "cm9ib3Q6", name+": base64 of robot:")
			err = errors.Unwrap(err)
		}
	}
	anonymous := newClient(t, Options{CAFile: ca})
	_, err := anonymous.Pull(t.Context(), ref)
	require.ErrorIs(t, err, ErrDenied)
	assert.ErrorContains(t, err, "no credentials were given")
}

// TestSignedAddressesAreNotShown: registries send blobs from stores whose
// addresses let anyone in.
func TestSignedAddressesAreNotShown(t *testing.T) {
	s := plainServer(t)
	c := newClient(t, Options{PlainHTTP: true})
	ref := reference(t, s.host+"/app:v1")
	_, err := c.Push(t.Context(), ref, sample(t), PushOptions{})
	require.NoError(t, err)
	s.before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/store" {
			w.WriteHeader(http.StatusForbidden)
			return true
		}
		if strings.Contains(r.URL.Path, "/blobs/sha256:") {
			http.Redirect(w, r, "http://"+s.host+"/store?X-Signature=topsecretsignature", http.StatusTemporaryRedirect)
			return true
		}
		return false
	}
	_, err = c.Pull(t.Context(), ref)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "topsecretsignature")
	assert.ErrorContains(t, err, "<hidden>")
}

func TestCredentialsGoToTheirHostOnly(t *testing.T) {
	s := plainServer(t)
	var sent atomic.Bool
	s.before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") != "" {
			sent.Store(true)
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
		w.WriteHeader(http.StatusUnauthorized)
		return true
	}
	c := newClient(t, Options{PlainHTTP: true, Credentials: Credentials{Host: "other.example", Username: user, Password: password}})
	_, err := c.Tags(t.Context(), reference(t, s.host+"/app"))
	require.ErrorIs(t, err, ErrDenied)
	assert.False(t, sent.Load())
}

func TestHints(t *testing.T) {
	plain := plainServer(t)
	secure, _ := secureServer(t)
	_, err := newClient(t, Options{}).Pull(t.Context(), reference(t, plain.host+"/app:v1"))
	assert.ErrorContains(t, err, "ask for plain HTTP")
	_, err = newClient(t, Options{}).Pull(t.Context(), reference(t, secure.host+"/app:v1"))
	assert.ErrorContains(t, err, "CA file")
	plain.Close()
	_, err = newClient(t, Options{PlainHTTP: true}).Pull(t.Context(), reference(t, plain.host+"/app:v1"))
	assert.ErrorContains(t, err, "pull "+plain.host+"/app:v1: ")
}

func TestOptionsFaults(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	require.NoError(t, os.WriteFile(empty, []byte("nothing"), 0o600))
	_, err := New(Options{CAFile: empty})
	assert.ErrorContains(t, err, "wanted certificates in PEM, found none")
	_, err = New(Options{CAFile: empty + "x"})
	assert.ErrorIs(t, err, os.ErrNotExist)

	// What only matters for some requests ends no other.
	plain := plainServer(t)
	var warnings []string
	c := newClient(t, Options{
		PlainHTTP: true, CredentialFiles: []string{empty}, CacheDir: filepath.Join(empty, "x"),
		Warn: func(text string) { warnings = append(warnings, text) },
	})
	ref := reference(t, plain.host+"/app:v1")
	_, err = c.Push(t.Context(), ref, sample(t), PushOptions{})
	require.NoError(t, err)
	checkSample(t, c, ref, mustDigest(t, sample(t)))
	require.Len(t, warnings, 1)
	assert.Contains(t, warnings[0], "cache of registries: ")
	assert.Contains(t, warnings[0], "nothing is kept")
	secure, ca := secureServer(t)
	c = newClient(t, Options{CAFile: ca, CredentialFiles: []string{empty}})
	_, err = c.Pull(t.Context(), reference(t, secure.host+"/app:v1"))
	assert.ErrorContains(t, err, "read credentials of registries")
}

func TestRequestsAreRepeated(t *testing.T) {
	s := plainServer(t)
	c := newClient(t, Options{PlainHTTP: true})
	ref := reference(t, s.host+"/app:v1")
	_, err := c.Push(t.Context(), ref, sample(t), PushOptions{})
	require.NoError(t, err)
	var failures atomic.Int64
	fail := func(times int64) {
		failures.Store(times)
		s.before = func(w http.ResponseWriter, _ *http.Request) bool {
			if failures.Add(-1) < 0 {
				return false
			}
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
	}
	fail(2)
	checkSample(t, c, ref, mustDigest(t, sample(t)))
	fail(1 << 30)
	before := s.requests.Load()
	_, err = c.Tags(t.Context(), ref)
	assert.ErrorContains(t, err, "503")
	assert.LessOrEqual(t, s.requests.Load()-before, int64(quick().Attempts), "attempts are bounded")
}

func mustDigest(t *testing.T, i Image) string {
	t.Helper()
	d, err := i.Digest()
	require.NoError(t, err)
	return d
}

// TestBrokenTransfersAreRepeated cuts answers off, and falsifies them.
func TestBrokenTransfersAreRepeated(t *testing.T) {
	for name, spoil := range map[string]func(w http.ResponseWriter){
		"cut off": func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "100000")
			_, _ = w.Write([]byte("beginning"))
		},
		"other content": func(w http.ResponseWriter) { _, _ = w.Write([]byte("other content")) },
	} {
		t.Run(name, func(t *testing.T) {
			s := plainServer(t)
			c := newClient(t, Options{PlainHTTP: true, CacheDir: filepath.Join(t.TempDir(), "cache")})
			ref := reference(t, s.host+"/app:v1")
			big := Image{Layers: []Blob{{MediaType: "application/octet-stream", Data: make([]byte, 100000)}}}
			pushed, err := c.Push(t.Context(), ref, big, PushOptions{})
			require.NoError(t, err)
			var spoilt atomic.Int64
			s.before = func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "/blobs/") || spoilt.Add(-1) < 0 {
					return false
				}
				spoil(w)
				return true
			}
			spoilt.Store(1)
			a, err := c.Pull(t.Context(), ref)
			require.NoError(t, err)
			assert.Equal(t, pushed.Digest, a.Descriptor.Digest)
			data, err := a.Layers[0].ReadAll(t.Context())
			require.NoError(t, err)
			assert.Len(t, data, 100000)

			fresh := newClient(t, Options{PlainHTTP: true})
			spoilt.Store(1 << 30)
			_, err = fresh.Pull(t.Context(), ref)
			require.Error(t, err, "never the wrong content")
		})
	}
}

func TestAStalledTransferEnds(t *testing.T) {
	s := plainServer(t)
	retry := quick()
	retry.Stall, retry.Attempts = 20*time.Millisecond, 2
	c := newClient(t, Options{PlainHTTP: true, Retry: retry})
	ref := reference(t, s.host+"/app:v1")
	_, err := c.Push(t.Context(), ref, Image{Layers: []Blob{{MediaType: "application/octet-stream", Data: make([]byte, 1000)}}}, PushOptions{})
	require.NoError(t, err)
	s.before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "/blobs/") {
			return false
		}
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done() // the client gives up
		return true
	}
	_, err = c.Pull(t.Context(), ref)
	assert.ErrorContains(t, err, "stalled")
}

func TestACancelledPullSaysWhy(t *testing.T) {
	s := plainServer(t)
	c := newClient(t, Options{PlainHTTP: true})
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped by the user")
	s.before = func(_ http.ResponseWriter, r *http.Request) bool {
		cancel(stopped)
		<-r.Context().Done()
		return true
	}
	_, err := c.Pull(ctx, reference(t, s.host+"/app:v1"))
	require.ErrorIs(t, err, stopped)
	assert.EqualError(t, err, "pull "+s.host+"/app:v1: stopped by the user")
}
