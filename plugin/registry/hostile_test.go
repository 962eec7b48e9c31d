package registry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry/archive"
)

// hostile is a server that answers as it likes.
func hostile(t *testing.T, answer http.HandlerFunc) Reference {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return reference(t, strings.TrimPrefix(s.URL, "http://")+"/app:v1")
}

// TestServersThatLie: each of them gets an error that says what is wrong, and none
// gets content believed, or the client to wait for ever.
func TestServersThatLie(t *testing.T) {
	manifest := []byte(`{"schemaVersion":2,"config":{},"layers":[]}`)
	head := func(w http.ResponseWriter, digest string, size int) {
		w.Header().Set("Content-Type", ocispec.MediaTypeImageManifest)
		w.Header().Set("Docker-Content-Digest", digest)
		w.Header().Set("Content-Length", fmt.Sprint(size))
	}
	digest := describe(Blob{Data: manifest}).Digest.String()
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		kind   error
		text   string
	}{
		"another manifest than the digest says": {
			answer: func(w http.ResponseWriter, r *http.Request) {
				head(w, digest, len(manifest))
				if r.Method == http.MethodGet {
					_, _ = w.Write([]byte(strings.ToUpper(string(manifest))))
				}
			},
			kind: ErrCorrupt,
		},
		"a digest that is none": {
			answer: func(w http.ResponseWriter, _ *http.Request) { head(w, "sha256:../../etc", len(manifest)) },
			text:   "digest",
		},
		"no digest at all, and another at each time": {
			answer: func() http.HandlerFunc {
				var calls atomic.Int64
				return func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", ocispec.MediaTypeImageManifest)
					fmt.Fprintf(w, `{"n":%d}`, calls.Add(1))
				}
			}(),
			kind: ErrCorrupt,
		},
		"a manifest larger than any": {
			answer: func(w http.ResponseWriter, _ *http.Request) { head(w, digest, 1<<40) },
			kind:   ErrTooLarge,
		},
		"a redirect to itself": {
			answer: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) },
			text:   "redirects",
		},
		"a redirect to a file": {
			answer: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Location", "file:///etc/passwd")
				w.WriteHeader(http.StatusFound)
			},
			text: "unsupported protocol scheme",
		},
		"no HTTP": {
			answer: func(w http.ResponseWriter, _ *http.Request) {
				connection, _, err := http.NewResponseController(w).Hijack()
				if err == nil {
					_, _ = connection.Write([]byte("SSH-2.0-OpenSSH\r\n"))
					_ = connection.Close()
				}
			},
			text: "malformed",
		},
		"words that steer a terminal": {
			answer: func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodHead {
					head(w, digest, len(manifest))
					return
				}
				w.WriteHeader(http.StatusForbidden)
				_, _ = w.Write([]byte(`{"errors":[{"code":"DENIED","message":"\u001b[2J\nAll is well\u009b` + strings.Repeat("x", 5000) + `"}]}`))
			},
			kind: ErrDenied,
			text: "All is well",
		},
		"an error page of another server": {
			answer: func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusTeapot)
				_, _ = w.Write([]byte("<html>" + strings.Repeat("x", 1<<20)))
			},
			text: "418",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, Options{PlainHTTP: true, CacheDir: filepath.Join(t.TempDir(), "cache")})
			_, err := c.Pull(t.Context(), hostile(t, tt.answer))
			require.Error(t, err)
			assert.Less(t, len(err.Error()), 1000, "errors are no pages")
			assert.False(t, strings.ContainsFunc(err.Error(), unicode.IsControl), "%q", err)
			if tt.kind != nil {
				require.ErrorIs(t, err, tt.kind)
			}
			assert.ErrorContains(t, err, tt.text)
		})
	}
}

// TestAServerWithoutDigestHeaders is no liar: old registries and proxies leave the
// header out.
func TestAServerWithoutDigestHeaders(t *testing.T) {
	s := plainServer(t)
	c := newClient(t, Options{PlainHTTP: true})
	ref := reference(t, s.host+"/app:v1")
	_, err := c.Push(t.Context(), ref, sample(t), PushOptions{})
	require.NoError(t, err)
	front := hostile(t, func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		s.Config.Handler.ServeHTTP(answer, r)
		for key, values := range answer.Header() {
			if key != "Docker-Content-Digest" {
				w.Header()[key] = values
			}
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
	checkSample(t, c, front, mustDigest(t, sample(t)))
}

// TestEndlessListings: a server that has always one page more.
func TestEndlessListings(t *testing.T) {
	var pages atomic.Int64
	ref := hostile(t, func(w http.ResponseWriter, _ *http.Request) {
		n := pages.Add(1)
		w.Header().Set("Link", fmt.Sprintf(`</v2/app/tags/list?n=%d>; rel="next"`, n))
		fmt.Fprintf(w, `{"tags":["t%d"]}`, n)
	})
	c := newClient(t, Options{PlainHTTP: true, Limits: Limits{Tags: 500}})
	_, err := c.Tags(t.Context(), ref)
	require.ErrorIs(t, err, ErrTooLarge)
	assert.LessOrEqual(t, pages.Load(), int64(10))

	huge := hostile(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"tags":["` + strings.Repeat("x", 5<<20) + `"]}`))
	})
	_, err = c.Tags(t.Context(), huge)
	require.Error(t, err)
}

func TestTagsThatAreNone(t *testing.T) {
	ref := hostile(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"tags":["v1","\u001b[2J"]}`)) })
	_, err := newClient(t, Options{PlainHTTP: true}).Tags(t.Context(), ref)
	assert.ErrorContains(t, err, `it lists a tag that is none: "\x1b[2J"`)
	dir := t.TempDir()
	writeLayout(t, dir, nil, ocispec.Descriptor{Annotations: map[string]string{ocispec.AnnotationRefName: "a\nb"}})
	_, err = newClient(t, Options{}).Tags(t.Context(), Reference{Layout: dir})
	assert.ErrorContains(t, err, `it lists a tag that is none: "a\nb"`)
}

// TestTagsOfSeveralPages joins pages and leaves out what is there twice.
func TestTagsOfSeveralPages(t *testing.T) {
	ref := hostile(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("last") == "" {
			w.Header().Set("Link", `</v2/app/tags/list?last=v2>; rel="next"`)
			_, _ = w.Write([]byte(`{"tags":["v2","v1"]}`))
			return
		}
		_, _ = w.Write([]byte(`{"tags":["v2","v0"]}`))
	})
	tags, err := newClient(t, Options{PlainHTTP: true}).Tags(t.Context(), ref)
	require.NoError(t, err)
	assert.Equal(t, []string{"v0", "v1", "v2"}, tags)
}

// TestRetryAfterIsBounded: a server may not send a client to sleep.
func TestRetryAfterIsBounded(t *testing.T) {
	var calls atomic.Int64
	ref := hostile(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 {
			w.Header().Set("Retry-After", "86400")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		_, _ = w.Write([]byte(`{"tags":["v1"]}`))
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tags, err := newClient(t, Options{PlainHTTP: true}).Tags(ctx, ref)
	require.NoError(t, err)
	assert.Equal(t, []string{"v1"}, tags)
}

// TestUploadsStayOnTheirHost: a server that sends the upload, and the credentials
// with it, somewhere else.
func TestUploadsStayOnTheirHost(t *testing.T) {
	var reached atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	defer other.Close()
	ref := hostile(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.Header().Set("Location", other.URL+"/upload")
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.WriteHeader(http.StatusNotFound)
	})
	_, err := newClient(t, Options{PlainHTTP: true}).Push(t.Context(), ref, sample(t), PushOptions{})
	require.Error(t, err)
	assert.False(t, reached.Load())
}

func TestExtractEndsWithItsContext(t *testing.T) {
	c := newClient(t, Options{})
	layout := Reference{Layout: filepath.Join(t.TempDir(), "layout"), Tag: "v1"}
	_, err := c.Push(t.Context(), layout, sample(t), PushOptions{})
	require.NoError(t, err)
	a, err := c.Pull(t.Context(), layout)
	require.NoError(t, err)
	defer func() { assert.NoError(t, a.Close()) }()
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped by the user")
	cancel(stopped)
	parent := t.TempDir()
	require.ErrorIs(t, a.Extract(ctx, filepath.Join(parent, "out"), archive.DefaultLimits()), stopped)
	left, err := os.ReadDir(parent)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// TestTheDocumentSaysTheLimits holds docs/registries.md to the defaults.
func TestTheDocumentSaysTheLimits(t *testing.T) {
	document, err := os.ReadFile("../../docs/registries.md")
	require.NoError(t, err)
	text := strings.Join(strings.Fields(string(document)), " ")
	l, unpacked := DefaultLimits(), archive.DefaultLimits()
	assert.Contains(t, text, fmt.Sprintf("More than %d MiB a layer, %d GiB in all, %d layers, %d MiB of manifest or config.",
		l.Layer>>20, l.Total>>30, l.Layers, l.Manifest>>20))
	assert.Equal(t, l.Manifest, l.Config)
	assert.Contains(t, text, fmt.Sprintf("more than %d GiB, %d MiB a file, 10,000 entries, %d directories deep",
		unpacked.Bytes>>30, unpacked.File>>20, unpacked.Depth))
	assert.Equal(t, 10_000, unpacked.Entries)
	assert.Contains(t, text, fmt.Sprintf("not used for %d days", int(defaultCacheAge.Hours()/24)))
	assert.Contains(t, text, "up to five times")
	assert.Equal(t, 5, DefaultRetry().Attempts)
	for _, variable := range []string{HostVariable, UsernameVariable, PasswordVariable, TokenVariable, CAFileVariable} {
		assert.Contains(t, text, "`"+variable+"`")
	}
}
