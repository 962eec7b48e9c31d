package pack

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	testregistry "github.com/google/go-containerregistry/pkg/registry"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/repository"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/source"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
)

// newRepository is a repository in a registry on this machine, and what counts the
// writes to it.
func newRepository(t *testing.T) (r repository.Repository, writes func() int) {
	t.Helper()
	count := 0
	inner := testregistry.New(testregistry.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method == http.MethodPut || req.Method == http.MethodPost {
			count++
		}
		inner.ServeHTTP(w, req)
	}))
	t.Cleanup(server.Close)
	return repositoryAt(t, strings.TrimPrefix(server.URL, "http://")+"/org/packages"), func() int { return count }
}

func repositoryAt(t *testing.T, root string) repository.Repository {
	t.Helper()
	client, err := registry.New(registry.Options{PlainHTTP: true, TempDir: t.TempDir()})
	require.NoError(t, err)
	ref, err := registry.ParseReference(root)
	require.NoError(t, err)
	return repository.Repository{Client: client, Root: ref, TempDir: t.TempDir()}
}

// TestPush publishes a package and finds it again as the platform would.
func TestPush(t *testing.T) {
	to, _ := newRepository(t)
	images := built(t, sources(), "v1.2.3")
	done, err := images.Push(t.Context(), to, false)
	require.NoError(t, err)
	root := to.Root.String()
	var refs []string
	for _, d := range done {
		refs = append(refs, strings.TrimPrefix(d.Reference.String(), root))
		assert.False(t, d.Unchanged)
		assert.NotEmpty(t, d.Digest)
	}
	assert.Equal(t, []string{"/web:v1.2.3", "/web/version:v1.2.3", ":web"}, refs)

	names, err := to.Packages(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"web"}, names.Names)
	versions, err := to.Versions(t.Context(), "web")
	require.NoError(t, err)
	assert.Equal(t, []string{"v1.2.3"}, versions.Names)
	m, findings, err := to.ReadMetadata(t.Context(), "web", "v1.2.3")
	require.NoError(t, err)
	assert.Empty(t, findings)
	assert.Equal(t, "v1.2.3", m.Definition.Version)
	assert.Equal(t, "openapi/settings.yaml", m.SettingsSchema.Name)

	artifact, err := to.Client.Pull(t.Context(), to.Bundle("web", "v1.2.3"))
	require.NoError(t, err)
	defer func() { assert.NoError(t, artifact.Close()) }()
	assert.Equal(t, map[string]string{"io.deckhouse.package.type": "Application", "io.deckhouse.package.apiVersion": "v1"}, artifact.Labels)
	p, err := source.Opener{Client: to.Client, TempDir: t.TempDir()}.Open(t.Context(), root+"/web:v1.2.3")
	require.NoError(t, err)
	defer func() { assert.NoError(t, p.Close()) }()
	assert.Equal(t, "v1.2.3", p.Definition.Version)
	assert.Empty(t, p.Warnings)
	assert.Equal(t, root+"/web:v1.2.3@"+digestOf(t, images.Bundle), p.Origin.String())
}

func TestPushAgain(t *testing.T) {
	to, writes := newRepository(t)
	images := built(t, sources(), "v1.0.0")
	_, err := images.Push(t.Context(), to, false)
	require.NoError(t, err)
	before := writes()
	done, err := images.Push(t.Context(), to, false)
	require.NoError(t, err)
	require.Len(t, done, 3)
	for _, d := range done {
		assert.True(t, d.Unchanged, d.Reference)
	}
	assert.Equal(t, before, writes(), "nothing is written")

	// Only the metadata differs: that is seen before the bundle is written.
	changed := built(t, sources(), "v1.0.0")
	changed.Metadata.Annotations = nil
	changed.Bundle.Annotations = nil
	_, err = changed.Push(t.Context(), to, false)
	require.ErrorIs(t, err, registry.ErrExists)
	assert.ErrorContains(t, err, "raise the version")
	assert.Equal(t, before, writes(), "nothing is written")
	done, err = changed.Push(t.Context(), to, true)
	require.NoError(t, err)
	assert.Equal(t, []bool{false, false, true}, []bool{done[0].Unchanged, done[1].Unchanged, done[2].Unchanged})
}

func TestPushToALayout(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "layout")
	to := repositoryAt(t, "oci:"+dir)
	for _, version := range []string{"v1.0.0", "v1.10.0", "v1.9.0"} {
		_, err := built(t, sources(), version).Push(t.Context(), to, false)
		require.NoError(t, err)
	}
	versions, err := to.Versions(t.Context(), "web")
	require.NoError(t, err)
	assert.Equal(t, []string{"v1.0.0", "v1.9.0", "v1.10.0"}, versions.Names)
	m, _, err := to.ReadMetadata(t.Context(), "web", "v1.9.0")
	require.NoError(t, err)
	assert.Equal(t, "v1.9.0", m.Version)
	opener := source.Opener{Client: to.Client, TempDir: t.TempDir()}
	p, err := opener.Open(t.Context(), "oci:"+dir+":v1.10.0")
	require.NoError(t, err)
	assert.Equal(t, "v1.10.0", p.Definition.Version)
	require.NoError(t, p.Close())
	_, err = opener.Open(t.Context(), dir)
	assert.ErrorContains(t, err, "it holds several; name one: v1.0.0, v1.10.0, v1.9.0")
}

// TestABuiltPackageIsBuiltTheSame: what is pushed from a layout is what was built
// into it.
func TestABuiltPackageIsBuiltTheSame(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "layout")
	to := repositoryAt(t, "oci:"+dir)
	images := built(t, sources(), "v1.0.0")
	_, err := images.Push(t.Context(), to, false)
	require.NoError(t, err)
	p, err := source.Opener{Client: to.Client, TempDir: t.TempDir()}.Open(t.Context(), dir)
	require.NoError(t, err)
	defer func() { assert.NoError(t, p.Close()) }()
	again := built(t, p.FS, "")
	assert.Equal(t, digestOf(t, images.Bundle), digestOf(t, again.Bundle))
	assert.Equal(t, digestOf(t, images.Metadata), digestOf(t, again.Metadata))
	assert.Empty(t, again.Left)
}
