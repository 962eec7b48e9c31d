package registry

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	testregistry "github.com/google/go-containerregistry/pkg/registry"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/require"
)

// server is a registry on this machine.
type server struct {
	*httptest.Server
	host     string
	requests atomic.Int64
	// before, if set, may answer a request instead of the registry.
	before func(w http.ResponseWriter, r *http.Request) (answered bool)
}

func (s *server) ServeHTTP(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		if s.before != nil && s.before(w, r) {
			return
		}
		handler.ServeHTTP(w, r)
	})
}

// plainServer is a registry without TLS and without credentials.
func plainServer(t testing.TB) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(s.ServeHTTP(newRegistry()))
	t.Cleanup(s.Close)
	s.host = strings.TrimPrefix(s.URL, "http://")
	return s
}

// The credentials of secureServer.
const (
	user     = "robot"
	password = "c0rrect-horse"
)

// secureServer is a registry over TLS that wants credentials. caFile holds the
// certificate of its authority.
func secureServer(t testing.TB) (s *server, caFile string) {
	t.Helper()
	s = &server{}
	inner := newRegistry()
	s.Server = httptest.NewUnstartedServer(s.ServeHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name, secret, ok := r.BasicAuth(); !ok || name != user || secret != password {
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			w.WriteHeader(http.StatusUnauthorized)
			// A server that tells what it was sent.
			_ = json.NewEncoder(w).Encode(map[string]any{"errors": []any{map[string]any{
				"code": "UNAUTHORIZED", "message": "not with " + r.Header.Get("Authorization") + " nor " + secret,
			}}})
			return
		}
		inner.ServeHTTP(w, r)
	})))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // refused certificates
	s.StartTLS()
	t.Cleanup(s.Close)
	s.host = strings.TrimPrefix(s.URL, "https://")
	caFile = filepath.Join(t.TempDir(), "ca.pem")
	data := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	require.NoError(t, os.WriteFile(caFile, data, 0o600))
	return s, caFile
}

func newRegistry() http.Handler {
	return testregistry.New(testregistry.Logger(log.New(io.Discard, "", 0)))
}

// quick repeats without waiting.
func quick() Retry {
	return Retry{Attempts: 3, MinWait: time.Millisecond, MaxWait: 2 * time.Millisecond, Stall: 5 * time.Second}
}

func newClient(t testing.TB, o Options) *Client {
	t.Helper()
	if o.Retry == (Retry{}) {
		o.Retry = quick()
	}
	if o.TempDir == "" {
		o.TempDir = t.TempDir()
	}
	c, err := New(o)
	require.NoError(t, err)
	return c
}

func reference(t testing.TB, text string) Reference {
	t.Helper()
	r, err := ParseReference(text)
	require.NoError(t, err)
	return r
}

// layerOf is a layer with these files.
func layerOf(t testing.TB, files map[string]string) Blob {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	w := tar.NewWriter(zip)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		content := files[name]
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content)), Typeflag: tar.TypeReg}))
		_, err := w.Write([]byte(content))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, zip.Close())
	return Blob{MediaType: ocispec.MediaTypeImageLayerGzip, Data: out.Bytes()}
}

// sample is an image with a label, an annotation and two layers.
func sample(t testing.TB) Image {
	t.Helper()
	config, err := json.Marshal(ocispec.Image{Config: ocispec.ImageConfig{Labels: map[string]string{"kind": "sample"}}})
	require.NoError(t, err)
	return Image{
		Config:      Blob{MediaType: ocispec.MediaTypeImageConfig, Data: config},
		Layers:      []Blob{layerOf(t, map[string]string{"a.txt": "one"}), layerOf(t, map[string]string{"d/b.txt": "two"})},
		Annotations: map[string]string{"made": "for a test"},
	}
}

// credentialsFile writes a file of credentials as docker does.
func credentialsFile(t testing.TB, host, name, secret string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.json")
	auth := base64.StdEncoding.EncodeToString([]byte(name + ":" + secret))
	data, err := json.Marshal(map[string]any{"auths": map[string]any{host: map[string]string{"auth": auth}}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, data, 0o600))
	return file
}
