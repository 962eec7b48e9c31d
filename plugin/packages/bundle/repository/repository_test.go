package repository

import (
	"encoding/json"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	testregistry "github.com/google/go-containerregistry/pkg/registry"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
)

func newRepository(t *testing.T, handler http.Handler) Repository {
	t.Helper()
	if handler == nil {
		handler = testregistry.New(testregistry.Logger(log.New(io.Discard, "", 0)))
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	client, err := registry.New(registry.Options{PlainHTTP: true, Retry: registry.Retry{Attempts: 1}, TempDir: t.TempDir()})
	require.NoError(t, err)
	ref, err := registry.ParseReference(strings.TrimPrefix(server.URL, "http://") + "/org/packages")
	require.NoError(t, err)
	return Repository{Client: client, Root: ref, TempDir: t.TempDir()}
}

// tag puts an artifact somewhere.
func tag(t *testing.T, r Repository, ref registry.Reference, files map[string]string) {
	t.Helper()
	image := registry.Image{Type: "application/vnd.test"}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		image.Layers = append(image.Layers, registry.Blob{
			MediaType: "text/plain", Data: []byte(files[name]),
			Annotations: map[string]string{"org.opencontainers.image.title": name},
		})
	}
	_, err := r.Client.Push(t.Context(), ref, image, registry.PushOptions{Overwrite: true})
	require.NoError(t, err)
}

func TestNames(t *testing.T) {
	ref, err := registry.ParseReference("ghcr.io/org/packages")
	require.NoError(t, err)
	r := Repository{Root: ref}
	assert.Equal(t, "ghcr.io/org/packages:web", r.Listing("web").String())
	assert.Equal(t, "ghcr.io/org/packages/web:v1.2.3", r.Bundle("web", "v1.2.3").String())
	assert.Equal(t, "ghcr.io/org/packages/web/version:v1.2.3", r.Metadata("web", "v1.2.3").String())
	assert.Equal(t, "ghcr.io/org/packages/web/release-channel:stable", r.Channel("web", "stable").String())
	r.Root = registry.Reference{Layout: "dir"}
	assert.Equal(t, "oci:dir:v1.2.3", r.Bundle("web", "v1.2.3").String())
	assert.Equal(t, "oci:dir:version/v1.2.3", r.Metadata("web", "v1.2.3").String())
}

func TestListings(t *testing.T) {
	r := newRepository(t, nil)
	for _, name := range []string{"web", "store", "Not-A-Name", "v1_0"} {
		tag(t, r, r.Listing(name), nil)
	}
	for _, version := range []string{"v1.10.0", "v1.9.0", "v1.9.1-rc.1", "main", "1.0.0"} {
		tag(t, r, r.Metadata("web", version), nil)
	}
	packages, err := r.Packages(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"store", "web"}, packages.Names)
	assert.Equal(t, []Ignored{{"Not-A-Name", "is no name of a package"}, {"v1_0", "is no name of a package"}}, packages.Ignored)
	versions, err := r.Versions(t.Context(), "web")
	require.NoError(t, err)
	assert.Equal(t, []string{"v1.9.0", "v1.10.0"}, versions.Names)
	assert.Len(t, versions.Ignored, 3)
}

// TestRow26OnlySixChannels: a random tag such as "main" was taken for a release
// channel.
func TestRow26OnlySixChannels(t *testing.T) {
	r := newRepository(t, nil)
	for _, channel := range []string{"stable", "main", "alpha", "v1.0.0", "Stable"} {
		tag(t, r, r.Channel("web", channel), nil)
	}
	channels, err := r.ReleaseChannels(t.Context(), "web")
	require.NoError(t, err)
	assert.Equal(t, []string{"alpha", "stable"}, channels.Names)
	assert.Len(t, channels.Ignored, 3)
	assert.Contains(t, channels.Ignored[0].Reason, "early-access")
	none, err := r.ReleaseChannels(t.Context(), "other")
	require.NoError(t, err)
	assert.Empty(t, none.Names)
	assert.False(t, IsChannel("main"))
	assert.Len(t, Channels(), 6)
}

// TestRow27APackageWithoutVersionsIsAnError: it was processed as a success with
// zero versions.
func TestRow27APackageWithoutVersionsIsAnError(t *testing.T) {
	r := newRepository(t, nil)
	_, err := r.Versions(t.Context(), "web")
	require.ErrorIs(t, err, ErrNoVersions)
	assert.ErrorContains(t, err, "/org/packages/web/version, found no tags")
	for _, other := range []string{"main", "a", "b", "c", "d", "e"} {
		tag(t, r, r.Metadata("web", other), nil)
	}
	_, err = r.Versions(t.Context(), "web")
	require.ErrorIs(t, err, ErrNoVersions)
	assert.ErrorContains(t, err, "found 6 tags: a, b, c, d, e, …")

	broken := newRepository(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	for name, try := range map[string]func() error{
		"versions": func() error { _, err := broken.Versions(t.Context(), "web"); return err },
		"packages": func() error { _, err := broken.Packages(t.Context()); return err },
		"channels": func() error { _, err := broken.ReleaseChannels(t.Context(), "web"); return err },
	} {
		require.ErrorIs(t, try(), registry.ErrDenied, name)
	}
}

// TestRow28APartialListingRemovesNothing has the row's own example.
func TestRow28APartialListingRemovesNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		known, found []string
		full         bool
		want         []string
	}{
		"partial":           {[]string{"a", "b"}, []string{"b"}, false, []string{"a", "b"}},
		"partial and new":   {[]string{"a", "b"}, []string{"c", "b"}, false, []string{"a", "b", "c"}},
		"full":              {[]string{"a", "b"}, []string{"b"}, true, []string{"b"}},
		"full and nothing":  {[]string{"a"}, nil, true, nil},
		"nothing was known": {nil, []string{"b", "a", "b"}, false, []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, Merge(tt.known, tt.found, tt.full))
		})
	}
}

func TestReadMetadataFaults(t *testing.T) {
	r := newRepository(t, nil)
	definition := "apiVersion: v1\ntype: Application\nname: web\n"
	version := func(v string) string {
		data, err := json.Marshal(map[string]string{"version": v})
		require.NoError(t, err)
		return string(data)
	}
	for at, files := range map[string]map[string]string{
		"v1.0.0": {"package.yaml": definition, "version.json": version("v1.0.0")},
		"v1.0.1": {"package.yaml": definition, "version.json": version("v1.0.0")},
		"v1.0.2": {"package.yaml": strings.ReplaceAll(definition, "web", "other"), "version.json": version("v1.0.2")},
		"v1.0.3": {"package.yaml": definition},
		"v1.0.4": {"../package.yaml": definition},
	} {
		tag(t, r, r.Metadata("web", at), files)
	}
	tag(t, r, r.Channel("web", "stable"), map[string]string{"package.yaml": definition, "version.json": version("v1.0.0")})
	for at, want := range map[string]string{
		"v1.0.0": "", "stable": "",
		"v1.0.1": "wanted version v1.0.1, found v1.0.0",
		"v1.0.2": "wanted package web, found other",
		"v1.0.3": "version.json: error: is missing",
		"v1.0.4": `archive entry "../package.yaml"`,
		"v1.0.5": "not found",
	} {
		m, _, err := r.ReadMetadata(t.Context(), "web", at)
		if want != "" {
			require.ErrorContains(t, err, want)
			continue
		}
		require.NoError(t, err, at)
		assert.Equal(t, "v1.0.0", m.Version)
	}
	left, err := filepath.Glob(filepath.Join(r.TempDir, "*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}
