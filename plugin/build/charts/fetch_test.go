package charts

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	ggcr "github.com/google/go-containerregistry/pkg/registry"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
)

// archive is a chart as `helm package` makes it.
func archive(t *testing.T, name, version string) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	files := tar.NewWriter(zip)
	text := fmt.Sprintf("apiVersion: v2\nname: %s\nversion: %q\n", name, version)
	require.NoError(t, files.WriteHeader(&tar.Header{Name: name + "/Chart.yaml", Mode: 0o600, Size: int64(len(text)), Typeflag: tar.TypeReg}))
	_, err := files.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, files.Close())
	require.NoError(t, zip.Close())
	return out.Bytes()
}

// repository is a chart repository that remembers what it was asked.
type repository struct {
	*httptest.Server
	files map[string][]byte
	asked []string
	// password, if set, has to come with every request.
	password string
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	r := &repository{files: map[string][]byte{}}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.Close)
	return r
}

func (r *repository) serve(w http.ResponseWriter, q *http.Request) {
	_, password, authorized := q.BasicAuth()
	r.asked = append(r.asked, fmt.Sprintf("%s %t", q.URL.Path, authorized))
	if r.password != "" && password != r.password {
		http.Error(w, "no", http.StatusUnauthorized)
		return
	}
	if to, ok := r.files["redirect "+q.URL.Path]; ok {
		http.Redirect(w, q, string(to), http.StatusFound)
		return
	}
	data, ok := r.files[q.URL.Path]
	if !ok {
		http.NotFound(w, q)
		return
	}
	_, _ = w.Write(data)
}

// add puts versions of a chart into the repository and writes its index.
func (r *repository) add(t *testing.T, name string, versions ...string) {
	t.Helper()
	index := "apiVersion: v1\nentries:\n  " + name + ":\n"
	for _, v := range versions {
		data := archive(t, name, v)
		file := name + "-" + v + ".tgz"
		r.files["/dir/"+file] = data
		index += fmt.Sprintf("  - {name: %s, version: %q, digest: %s, urls: [%s]}\n", name, v, sumOf(data), file)
	}
	r.files["/dir/index.yaml"] = []byte(index)
}

func (r *repository) source(version string) Source {
	return Source{Name: "web", Repository: r.URL + "/dir", Version: version}
}

func TestRepositoryVersions(t *testing.T) {
	r := newRepository(t)
	r.add(t, "web", "1.2.0", "1.10.0", "1.9.0", "2.0.0-rc.1", "no-version")
	for wanted, version := range map[string]string{
		"": "1.10.0", "^1.2": "1.10.0", "~1.9": "1.9.0", "1.2.0": "1.2.0", "2.0.0-rc.1": "2.0.0-rc.1", ">=2.0.0-0": "2.0.0-rc.1", "<1.10": "1.9.0",
	} {
		c, err := Fetcher{}.Fetch(t.Context(), r.source(wanted))
		require.NoError(t, err, wanted)
		assert.Equal(t, version, c.Metadata().Version, wanted)
	}
	for wanted, text := range map[string]string{
		"^3":    "no version is ^3; there are: 2.0.0-rc.1, 1.10.0, 1.9.0, 1.2.0",
		"newer": `version "newer": wanted a version such as 1.2.3 or a constraint such as ^1.2`,
	} {
		_, err := Fetcher{}.Fetch(t.Context(), r.source(wanted))
		require.ErrorContains(t, err, text)
	}
	other := r.source("")
	other.Name = "wep"
	_, err := Fetcher{}.Fetch(t.Context(), other)
	require.ErrorContains(t, err, `the repository has no chart "wep"`)
}

func TestRepositoryThatLies(t *testing.T) {
	r := newRepository(t)
	r.add(t, "web", "1.0.0")
	r.files["/dir/web-1.0.0.tgz"] = archive(t, "web", "6.6.6")
	_, err := Fetcher{}.Fetch(t.Context(), r.source(""))
	require.ErrorContains(t, err, "that index.yaml names, found")

	r.files["/dir/index.yaml"] = []byte("entries: {web: [{version: 1.0.0, urls: [web-1.0.0.tgz]}]}")
	_, err = Fetcher{}.Fetch(t.Context(), r.source(""))
	require.ErrorContains(t, err, "wanted version 1.0.0, the chart in it says 6.6.6", "without a digest the chart itself has to agree")

	for index, want := range map[string]string{
		"entries: {web: [{version: 1.0.0}]}":                              "index.yaml has no address for version 1.0.0",
		"entries: {web: [{version: 1.0.0, urls: ['file:///etc/hosts']}]}": "wanted http or https",
		"entries: {web: [{version: 1.0.0, urls: ['%zz']}]}":               "index.yaml has an odd address",
		"entries: [": "index.yaml is no YAML",
		"entries: {web: [{version: 1.0.0, urls: [none.tgz]}]}": "/dir/none.tgz: the server answers 404",
	} {
		r.files["/dir/index.yaml"] = []byte(index)
		_, err := Fetcher{}.Fetch(t.Context(), r.source(""))
		require.ErrorContains(t, err, want, index)
	}
}

func TestCredentialsStayWithTheirHost(t *testing.T) {
	other := newRepository(t)
	other.files["/web.tgz"] = archive(t, "web", "1.0.0")
	r := newRepository(t)
	r.add(t, "web", "1.0.0")
	r.password = "hunter22"
	s := r.source("")
	s.Username, s.Password = "me", "hunter22"

	_, err := Fetcher{}.Fetch(t.Context(), s)
	require.NoError(t, err)
	assert.Equal(t, []string{"/dir/index.yaml true", "/dir/web-1.0.0.tgz true"}, r.asked)

	r.files["redirect /dir/web-1.0.0.tgz"] = []byte(other.URL + "/web.tgz?signature=x")
	_, err = Fetcher{}.Fetch(t.Context(), s)
	require.NoError(t, err, "the archive is the one that the index names, wherever it lies")
	assert.Equal(t, []string{"/web.tgz false"}, other.asked, "another host gets no credentials")

	r.files["redirect /dir/web-1.0.0.tgz"] = []byte(other.URL + "/gone.tgz?signature=topsecret")
	_, err = Fetcher{}.Fetch(t.Context(), s)
	require.ErrorContains(t, err, "404")
	assert.NotContains(t, err.Error(), "topsecret")

	s.Password = "wrong-password"
	_, err = Fetcher{}.Fetch(t.Context(), s)
	require.ErrorContains(t, err, "401")
	assert.NotContains(t, err.Error(), "wrong-password")

	s.Repository = strings.Replace(r.URL, "http://", "http://user:hunter22@", 1)
	_, err = Fetcher{}.Fetch(t.Context(), s)
	require.ErrorContains(t, err, "holds credentials")
}

func TestCacheAndOffline(t *testing.T) {
	r := newRepository(t)
	r.add(t, "web", "1.0.0")
	cached := Fetcher{Registry: registry.Options{CacheDir: t.TempDir()}}
	offline := cached
	offline.Registry.Offline = true

	_, err := offline.Fetch(t.Context(), r.source(""))
	require.ErrorContains(t, err, "offline, and not seen before")
	assert.Empty(t, r.asked, "nothing was asked")

	for range 2 {
		_, err = cached.Fetch(t.Context(), r.source(""))
		require.NoError(t, err)
	}
	assert.Equal(t, []string{"/dir/index.yaml false", "/dir/web-1.0.0.tgz false", "/dir/index.yaml false"}, r.asked,
		"the index is asked for each time, an archive once")
	_, err = offline.Fetch(t.Context(), r.source(""))
	require.NoError(t, err)

	kept, err := filepath.Glob(filepath.Join(cached.Registry.CacheDir, "charts", "sha256-*.tgz"))
	require.NoError(t, err)
	require.Len(t, kept, 1)
	require.NoError(t, os.WriteFile(kept[0], []byte("damaged"), 0o600))
	_, err = offline.Fetch(t.Context(), r.source(""))
	require.ErrorContains(t, err, "offline, and not in the cache", "a damaged archive is none")
	_, err = cached.Fetch(t.Context(), r.source(""))
	require.NoError(t, err, "and is fetched anew")
}

func TestRegistryCharts(t *testing.T) {
	server := httptest.NewServer(ggcr.New(ggcr.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	client, err := registry.New(registry.Options{PlainHTTP: true})
	require.NoError(t, err)
	for _, version := range []string{"1.0.0", "1.1.0+build.5", "2.0.0-rc.1"} {
		ref, err := registry.ParseReference(host + "/charts/web:" + strings.ReplaceAll(version, "+", "_"))
		require.NoError(t, err)
		_, err = client.Push(t.Context(), ref, registry.Image{
			Config: registry.Blob{MediaType: "application/vnd.cncf.helm.config.v1+json", Data: []byte("{}")},
			Layers: []registry.Blob{{MediaType: chartLayer, Data: archive(t, "web", version)}},
		}, registry.PushOptions{})
		require.NoError(t, err)
	}
	s := Source{Name: "oci://" + host + "/charts/web", PlainHTTP: true}
	for wanted, version := range map[string]string{"": "1.1.0+build.5", "1.0.0": "1.0.0", "~1.1": "1.1.0+build.5", "2.0.0-rc.1": "2.0.0-rc.1"} {
		s.Version = wanted
		c, err := Fetcher{}.Fetch(t.Context(), s)
		require.NoError(t, err, wanted)
		assert.Equal(t, version, c.Metadata().Version, wanted)
	}
	s.Version = "7.0.0"
	_, err = Fetcher{}.Fetch(t.Context(), s)
	require.ErrorIs(t, err, registry.ErrNotFound)
}

func TestLocalCharts(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "in", "web"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "out"), 0o700))
	for _, where := range []string{"in/web", "out"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, where, "Chart.yaml"), []byte("apiVersion: v2\nname: web\nversion: 1.0.0\n"), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "web.tgz"), archive(t, "web", "1.0.0"), 0o600))
	require.NoError(t, os.Symlink(filepath.Join(dir, "out"), filepath.Join(dir, "in", "link")))

	for _, path := range []string{"in/web", "out", "web.tgz", "in/link"} {
		_, err := Fetcher{}.Fetch(t.Context(), Source{Path: filepath.Join(dir, path)})
		require.NoError(t, err, path)
	}
	within := filepath.Join(dir, "in")
	_, err := Fetcher{}.Fetch(t.Context(), Source{Path: filepath.Join(within, "web"), Within: within})
	require.NoError(t, err)
	for _, path := range []string{"../out", "link", "../web.tgz"} {
		_, err := Fetcher{}.Fetch(t.Context(), Source{Path: filepath.Join(within, path), Within: within})
		require.ErrorContains(t, err, "leads out of the artifact", path)
	}
	_, err = Fetcher{}.Fetch(t.Context(), Source{Path: filepath.Join(dir, "none")})
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestCheckSource(t *testing.T) {
	for want, s := range map[string]Source{
		"":                            {Path: "a"},
		"neither a path nor the name": {},
		"found both":                  {Path: "a", Name: "b"},
		"a repository has charts":     {Path: "a", Repository: "https://x"},
		"is a whole address":          {Name: "oci://x/y", Repository: "https://x"},
		"wanted a repository, or":     {Name: "web"},
		"with http:// or https://":    {Name: "web", Repository: "oci://x"},
	} {
		err := s.Check()
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, want)
	}
	assert.Equal(t, "web ^1 of https://x", Source{Name: "web", Version: "^1", Repository: "https://x", Password: "hunter22"}.String())
}
