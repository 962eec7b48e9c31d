package source

import (
	"io"
	"log"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	testregistry "github.com/google/go-containerregistry/pkg/registry"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry/archive"
)

const definition = "apiVersion: v1\ntype: Application\nname: web\n"

// place is where packages are put in a test, and what opens them.
type place struct {
	Opener
	host string
}

func newPlace(t *testing.T) place {
	t.Helper()
	server := httptest.NewServer(testregistry.New(testregistry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	client, err := registry.New(registry.Options{PlainHTTP: true, TempDir: t.TempDir()})
	require.NoError(t, err)
	return place{Opener{Client: client, TempDir: t.TempDir()}, strings.TrimPrefix(server.URL, "http://")}
}

// put pushes an image of files, and gives its digest.
func (p place) put(t *testing.T, where string, files map[string]string) string {
	t.Helper()
	ref, err := registry.ParseReference(where)
	require.NoError(t, err)
	image := registry.Image{Type: "application/vnd.test"}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		image.Layers = append(image.Layers, registry.Blob{
			MediaType: "text/plain", Data: []byte(files[name]), Annotations: map[string]string{"org.opencontainers.image.title": name},
		})
	}
	pushed, err := p.Client.Push(t.Context(), ref, image, registry.PushOptions{})
	require.NoError(t, err)
	return pushed.Digest
}

func directoryOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(content), 0o600))
	}
	return dir
}

func (p place) leavesNothing(t *testing.T) {
	t.Helper()
	left, err := os.ReadDir(p.TempDir)
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestOpen(t *testing.T) {
	p := newPlace(t)
	files := map[string]string{"package.yaml": definition + "version: v1.2.3\n", "templates/a.yaml": "a: 1"}
	dir := directoryOf(t, files)
	layout := filepath.Join(t.TempDir(), "layout")
	digest := p.put(t, p.host+"/packages/web:v1.2.3", files)
	p.put(t, "oci:"+layout+":v1.2.3", files)
	ref, err := registry.ParseReference("oci:" + layout)
	require.NoError(t, err)
	_, err = p.Client.Push(t.Context(), ref.WithTag("version/v1.2.3"), registry.Image{Type: "application/vnd.metadata"}, registry.PushOptions{})
	require.NoError(t, err)
	for name, tt := range map[string]struct{ where, origin string }{
		"directory":       {dir, dir},
		"layout":          {layout, "oci:" + layout + ":v1.2.3@" + digest},
		"layout and tag":  {"oci:" + layout + ":v1.2.3", "oci:" + layout + ":v1.2.3@" + digest},
		"registry":        {p.host + "/packages/web:v1.2.3", p.host + "/packages/web:v1.2.3@" + digest},
		"a URL":           {"oci://" + p.host + "/packages/web:v1.2.3", p.host + "/packages/web:v1.2.3@" + digest},
		"registry digest": {p.host + "/packages/web@" + digest, p.host + "/packages/web@" + digest},
	} {
		t.Run(name, func(t *testing.T) {
			opened, err := p.Open(t.Context(), tt.where)
			require.NoError(t, err)
			assert.Equal(t, "web", opened.Definition.Name)
			assert.Equal(t, "v1.2.3", opened.Definition.Version)
			assert.Empty(t, opened.Warnings)
			assert.Equal(t, tt.origin, opened.Origin.String())
			data, err := os.ReadFile(filepath.Join(opened.Dir, "templates", "a.yaml"))
			require.NoError(t, err)
			assert.Equal(t, "a: 1", string(data))
			require.NoError(t, opened.Close())
			p.leavesNothing(t)
		})
	}
	assert.DirExists(t, dir, "a directory of the user's stays")
}

func TestOpenFaults(t *testing.T) {
	p := newPlace(t)
	dir := directoryOf(t, map[string]string{"package.yaml": "apiVersion: v1\n"})
	file := filepath.Join(dir, "package.yaml")
	p.put(t, p.host+"/packages/broken:v1.0.0", map[string]string{"package.yaml": "type: Module"})
	p.put(t, p.host+"/packages/other:v1.0.0", map[string]string{"a.txt": "no package"})
	for where, want := range map[string]string{
		"":                                  "there is no such directory",
		filepath.Join(dir, "not-there"):     "there is no such directory",
		"./not-there":                       "there is no such directory",
		"web":                               "there is no such directory, and it is no reference",
		file:                                "wanted a directory or a reference, found a file",
		dir:                                 "package.yaml:1: error: type is missing\npackage.yaml:1: error: name is missing",
		t.TempDir():                         "package.yaml: error: is missing",
		p.host + "/packages/broken:v1.0.0":  "package.yaml:1: error: type: wanted Application, found Module",
		p.host + "/packages/other:v1.0.0":   "package.yaml: error: is missing",
		p.host + "/packages/nothing:v1.0.0": "not found",
		"oci:" + dir:                        "is no OCI layout",
	} {
		_, err := p.Open(t.Context(), where)
		require.ErrorContains(t, err, want, where)
		p.leavesNothing(t)
	}
	_, err := Opener{}.Open(t.Context(), p.host+"/packages/broken:v1.0.0")
	assert.ErrorContains(t, err, "only directories can be opened here")
	p.Limits = archive.Limits{Bytes: 1, File: 1, Entries: 1, Depth: 1}
	_, err = p.Open(t.Context(), p.host+"/packages/other:v1.0.0")
	require.ErrorIs(t, err, archive.ErrTooLarge)
	p.leavesNothing(t)
}

// TestVersionOfAnImage: the platform goes by the tag, so a package.yaml that says
// something else is told.
func TestVersionOfAnImage(t *testing.T) {
	p := newPlace(t)
	for name, tt := range map[string]struct{ version, tag, want, warning string }{
		"the same":          {"version: v1.0.0", "v1.0.0", "v1.0.0", ""},
		"without the v":     {"version: 1.0.0", "v1.0.0", "1.0.0", "wanted vMAJOR.MINOR.PATCH"},
		"missing":           {"", "v1.0.1", "v1.0.1", "is missing; the image's tag counts: v1.0.1"},
		"other":             {"version: v1.0.0", "v1.0.2", "v1.0.2", "is v1.0.0, and the image has the tag v1.0.2, which counts"},
		"a tag of a branch": {"version: v1.0.0", "main", "v1.0.0", `the image has the tag "main", which is no version`},
	} {
		t.Run(name, func(t *testing.T) {
			where := p.host + "/packages/" + strings.ReplaceAll(name, " ", "-") + ":" + tt.tag
			p.put(t, where, map[string]string{"package.yaml": definition + tt.version, "templates/a.yaml": ""})
			opened, err := p.Open(t.Context(), where)
			require.NoError(t, err)
			assert.Equal(t, tt.want, opened.Definition.Version)
			if tt.warning == "" {
				assert.Empty(t, opened.Warnings)
			} else {
				require.Len(t, opened.Warnings, 1)
				assert.Contains(t, opened.Warnings[0].String(), tt.warning)
			}
			require.NoError(t, opened.Close())
		})
	}
}

// TestInspect reads a package that Open refuses, and tells everything about it.
func TestInspect(t *testing.T) {
	dir := directoryOf(t, map[string]string{"package.yaml": "apiVersion: v1\nname: web\ncolor: red\n"})
	p, findings, err := Opener{}.Inspect(dir)
	require.NoError(t, err)
	defer func() { assert.NoError(t, p.Close()) }()
	assert.Equal(t, "web", p.Definition.Name)
	assert.Len(t, findings, 3)
	assert.Len(t, p.Warnings, 2)
	_, _, err = Opener{}.Inspect(dir + "x")
	require.ErrorIs(t, err, os.ErrNotExist)
}
