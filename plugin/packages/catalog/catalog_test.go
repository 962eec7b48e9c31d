package catalog

import (
	"encoding/base64"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	testregistry "github.com/google/go-containerregistry/pkg/registry"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/repository"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/pack"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
)

const (
	login    = "robot"
	password = "c0rrect-horse"
)

// sources writes a package to a directory.
func sources(t *testing.T, dir, name, version string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "templates"), 0o755))
	for file, text := range map[string]string{
		"package.yaml":          "apiVersion: v1\ntype: Application\nname: " + name + "\n" + version,
		"templates/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d8a-x}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644))
	}
	return dir
}

// push publishes a version of a package.
func push(t *testing.T, root registry.Reference, options registry.Options, name, version string) {
	t.Helper()
	client, err := registry.New(options)
	require.NoError(t, err)
	images, findings, err := pack.Build(os.DirFS(sources(t, t.TempDir(), name, "")), pack.Options{Version: version})
	require.NoError(t, err, findings)
	_, err = images.Push(t.Context(), repository.Repository{Client: client, Root: root}, false)
	require.NoError(t, err)
}

// server is a registry for one user.
func server(t *testing.T) (host string) {
	t.Helper()
	inner := testregistry.New(testregistry.Logger(log.New(io.Discard, "", 0)))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, pass, ok := r.BasicAuth(); !ok || user != login || pass != password {
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// check looks at a catalogue with one package and one version.
func check(t *testing.T, c Catalog, version string) {
	t.Helper()
	packages, err := c.Packages(t.Context())
	require.NoError(t, err)
	assert.Contains(t, packages.Names, "web")
	versions, err := c.Versions(t.Context(), "web")
	require.NoError(t, err)
	assert.Equal(t, []string{version}, versions.Names)
	m, err := c.Metadata(t.Context(), "web", version)
	require.NoError(t, err)
	assert.Equal(t, version, m.Version)
	p, err := c.Bundle(t.Context(), "web", version)
	require.NoError(t, err)
	assert.Equal(t, "web", p.Definition.Name)
	assert.Equal(t, version, p.Definition.Version)
	assert.True(t, p.Renders)
	require.NoError(t, p.Close())
	_, err = c.Metadata(t.Context(), "web", "v9.9.9")
	require.Error(t, err)
	_, err = c.Bundle(t.Context(), "web", "v9.9.9")
	require.Error(t, err)
	_, err = c.Versions(t.Context(), "other")
	require.Error(t, err)
	_, err = c.Channels(t.Context(), "web")
	require.NoError(t, err)
}

func TestRegistries(t *testing.T) {
	host := server(t)
	root := registry.Reference{Host: host, Repository: "org/packages"}
	push(t, root, registry.Options{PlainHTTP: true, Credentials: registry.Credentials{Host: host, Username: login, Password: password}}, "web", "v1.2.3")
	auth := base64.StdEncoding.EncodeToString([]byte(login + ":" + password))
	config := base64.StdEncoding.EncodeToString([]byte(`{"auths":{"` + host + `":{"auth":"` + auth + `"}}}`))
	for name, spec := range map[string]api.RegistrySpec{
		"login":            {Scheme: "HTTP", Login: login, Password: password},
		"dockerCfg":        {Scheme: "HTTP", DockerCfg: config},
		"dockerCfg counts": {Scheme: "HTTP", DockerCfg: config, Login: login, Password: "wrong"},
		"a slash":          {Scheme: "HTTP", DockerCfg: config, Repo: root.Name() + "/"},
	} {
		t.Run(name, func(t *testing.T) {
			if spec.Repo == "" {
				spec.Repo = root.Name()
			}
			c, err := Open(spec, Options{TempDir: t.TempDir()})
			require.NoError(t, err)
			check(t, c, "v1.2.3")
		})
	}
	c, err := Open(api.RegistrySpec{Repo: root.Name(), Scheme: "http", Login: login, Password: "wr0ng-horse"}, Options{TempDir: t.TempDir()})
	require.NoError(t, err)
	_, err = c.Packages(t.Context())
	require.ErrorIs(t, err, registry.ErrDenied)
	assert.NotContains(t, err.Error(), "wr0ng-horse")
}

func TestComplaint29SchemeInAnyCase(t *testing.T) {
	s := httptest.NewServer(testregistry.New(testregistry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(s.Close)
	root := registry.Reference{Host: strings.TrimPrefix(s.URL, "http://"), Repository: "packages"}
	push(t, root, registry.Options{PlainHTTP: true}, "web", "v1.0.0")
	for _, scheme := range []string{"HTTP", "http", "Http"} {
		c, err := Open(api.RegistrySpec{Repo: root.Name(), Scheme: scheme}, Options{TempDir: t.TempDir()})
		require.NoError(t, err)
		_, err = c.Packages(t.Context())
		assert.NoError(t, err, scheme)
	}
	for _, scheme := range []string{"HTTPS", "https", ""} {
		c, err := Open(api.RegistrySpec{Repo: root.Name(), Scheme: scheme}, Options{TempDir: t.TempDir(), Retry: registry.Retry{Attempts: 1}})
		require.NoError(t, err)
		_, err = c.Packages(t.Context())
		assert.Error(t, err, "%q is TLS, and the server has none", scheme)
	}
}

func TestChannels(t *testing.T) {
	s := httptest.NewServer(testregistry.New(testregistry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(s.Close)
	root := registry.Reference{Host: strings.TrimPrefix(s.URL, "http://"), Repository: "packages"}
	push(t, root, registry.Options{PlainHTTP: true}, "web", "v1.0.0")
	client, err := registry.New(registry.Options{PlainHTTP: true})
	require.NoError(t, err)
	image := registry.Image{Type: "application/vnd.test"}
	for file, text := range map[string]string{
		"package.yaml": "apiVersion: v1\ntype: Application\nname: web\nversion: v1.0.0\n", "version.json": `{"version":"v1.0.0"}`,
	} {
		image.Layers = append(image.Layers, registry.Blob{
			MediaType: "text/plain", Data: []byte(text), Annotations: map[string]string{"org.opencontainers.image.title": file},
		})
	}
	repo := repository.Repository{Client: client, Root: root}
	_, err = client.Push(t.Context(), repo.Channel("web", "stable"), image, registry.PushOptions{})
	require.NoError(t, err)
	_, err = client.Push(t.Context(), repo.Channel("web", "alpha"), registry.Image{Type: "application/vnd.test"}, registry.PushOptions{})
	require.NoError(t, err)
	c, err := Open(api.RegistrySpec{Repo: root.Name(), Scheme: "HTTP"}, Options{TempDir: t.TempDir()})
	require.NoError(t, err)
	channels, err := c.Channels(t.Context(), "web")
	require.Error(t, err, "alpha has no metadata")
	assert.Equal(t, map[string]string{"stable": "v1.0.0"}, channels, "one that is broken hides no other")
}

func TestDirectories(t *testing.T) {
	dir := t.TempDir()
	one := sources(t, filepath.Join(dir, "one"), "web", "version: v1.0.0\n")
	layoutDir := filepath.Join(dir, "layout")
	push(t, registry.Reference{Layout: layoutDir}, registry.Options{}, "web", "v2.0.0")
	several := filepath.Join(dir, "several")
	sources(t, filepath.Join(several, "store"), "store", "")
	require.NoError(t, os.MkdirAll(filepath.Join(several, "nothing"), 0o755))
	require.NoError(t, os.CopyFS(filepath.Join(several, "web"), os.DirFS(layoutDir)))
	require.NoError(t, os.MkdirAll(filepath.Join(several, "broken"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(several, "broken", "package.yaml"), []byte("type: Application\n"), 0o644))
	for name, tt := range map[string]struct{ repo, version string }{
		"sources":                {one, "v1.0.0"},
		"a layout":               {registry.LayoutPrefix + layoutDir, "v2.0.0"},
		"a layout as a path":     {layoutDir, "v2.0.0"},
		"a directory of several": {several, "v2.0.0"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := Open(api.RegistrySpec{Repo: tt.repo}, Options{TempDir: t.TempDir()})
			require.NoError(t, err)
			check(t, c, tt.version)
		})
	}
	c, err := Open(api.RegistrySpec{Repo: several}, Options{})
	require.NoError(t, err)
	packages, err := c.Packages(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"store", "web"}, packages.Names)
	require.Len(t, packages.Ignored, 1)
	assert.Equal(t, "broken", packages.Ignored[0].Tag)
	versions, err := c.Versions(t.Context(), "store")
	require.NoError(t, err)
	assert.Equal(t, []string{"dev"}, versions.Names)
	p, err := c.Bundle(t.Context(), "store", "dev")
	require.NoError(t, err)
	require.NoError(t, p.Close())
	c, err = Open(api.RegistrySpec{Repo: filepath.Join(several, "nothing")}, Options{})
	require.NoError(t, err)
	_, err = c.Packages(t.Context())
	assert.ErrorContains(t, err, "found none")
}

func TestSpecsThatAreNone(t *testing.T) {
	for repo, want := range map[string]string{
		"packages":               "spec.registry.repo",
		"host.example/org:tag":   "neither tag nor digest",
		"user:pw@host.example/x": "spec.registry.repo",
	} {
		_, err := Open(api.RegistrySpec{Repo: repo}, Options{})
		require.ErrorContains(t, err, want)
		assert.NotContains(t, err.Error(), "pw")
	}
	for want, spec := range map[string]api.RegistrySpec{
		"in base64":                  {DockerCfg: password},
		"wanted HTTP or HTTPS":       {Scheme: "ftp"},
		"wanted certificates in PEM": {CA: "none"},
	} {
		spec.Repo = "host.example/org"
		_, err := Open(spec, Options{})
		require.ErrorContains(t, err, want)
		assert.NotContains(t, err.Error(), password)
	}
}
