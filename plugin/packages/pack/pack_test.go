package pack

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
)

const definition = `# A package.
apiVersion: v1
type: Application # the only type
name: web
`

// sources are the files of a package and what lies beside them.
func sources() fstest.MapFS {
	text := func(content string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(content), Mode: 0o640} }
	return fstest.MapFS{
		"package.yaml":            text(definition),
		"images_digests.json":     text("{}"),
		"templates/a.yaml":        text("a: 1"),
		"templates/_lib/x.tpl":    text("x"),
		"hooks/run":               {Data: []byte("#!/bin/sh"), Mode: 0o4711},
		"openapi/settings.yaml":   text("type: object"),
		"docs/README.md":          text("# web"),
		"changelog.yaml":          text("fixes: []"),
		".helmignore":             text("*.bak"),
		".git/HEAD":               text("ref"),
		"docs/.DS_Store":          text("x"),
		"images/front/Dockerfile": text("FROM scratch"),
		"werf.yaml":               text("x"),
		"version.json":            text("old"),
	}
}

func built(t testing.TB, fsys fs.FS, version string) *Images {
	t.Helper()
	images, _, err := Build(fsys, Options{Version: version})
	require.NoError(t, err)
	return images
}

// contents unpacks the layer of an image.
func contents(t testing.TB, image registry.Image) (files map[string]string, headers []tar.Header) {
	t.Helper()
	require.Len(t, image.Layers, 1)
	unzipped, err := gzip.NewReader(bytes.NewReader(image.Layers[0].Data))
	require.NoError(t, err)
	files = map[string]string{}
	for archive := tar.NewReader(unzipped); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files, headers
		}
		require.NoError(t, err)
		headers = append(headers, *h)
		data, err := io.ReadAll(archive)
		require.NoError(t, err)
		if h.Typeflag == tar.TypeReg {
			files[h.Name] = string(data)
		}
	}
}

func TestBuild(t *testing.T) {
	images := built(t, sources(), "v1.2.3")
	assert.Equal(t, "web", images.Name)
	assert.Equal(t, "v1.2.3", images.Version)
	assert.Equal(t, []Left{
		{".git", "hidden"},
		{"docs/.DS_Store", "hidden"},
		{"images", "sources of images"},
		{"version.json", "made by the build"},
		{"werf.yaml", "for another build tool"},
	}, images.Left)

	files, headers := contents(t, images.Bundle)
	assert.Equal(t, []string{
		".helmignore", "changelog.yaml", "docs/README.md", "hooks/run", "images_digests.json",
		"openapi/settings.yaml", "package.yaml", "templates/_lib/x.tpl", "templates/a.yaml",
	}, slices.Sorted(maps.Keys(files)))
	assert.Equal(t, definition+"version: v1.2.3\n", files["package.yaml"], "comments stay")
	for _, h := range headers {
		assert.Equal(t, time.Unix(0, 0).UTC(), h.ModTime.UTC())
		assert.Zero(t, h.Uid+h.Gid)
		assert.Empty(t, h.Uname+h.Gname)
		want := int64(0o644)
		if h.Name == "hooks/run" || h.Typeflag == tar.TypeDir {
			want = 0o755
		}
		assert.Equal(t, want, h.Mode, h.Name)
	}

	files, _ = contents(t, images.Metadata)
	assert.Equal(t, map[string]string{
		"package.yaml": definition + "version: v1.2.3\n", "version.json": "{\"version\":\"v1.2.3\"}\n",
		"changelog.yaml": "fixes: []", "docs/README.md": "# web", "openapi/settings.yaml": "type: object",
	}, files)
}

// TestBuildIsReproducible builds the same files from other disks at other times.
// The digest of the archive is pinned as well: an image must not change because we
// do. What a newer Go compresses differently is not in it.
func TestBuildIsReproducible(t *testing.T) {
	first := built(t, sources(), "v1.2.3")
	other := sources()
	for _, f := range other {
		f.ModTime = time.Now()
		f.Mode |= 0o066
	}
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, other))
	require.NoError(t, os.Chmod(filepath.Join(dir, "hooks", "run"), 0o700))
	for name, again := range map[string]*Images{"memory": built(t, other, "v1.2.3"), "disk": built(t, os.DirFS(dir), "v1.2.3")} {
		for _, pair := range [][2]registry.Image{{first.Bundle, again.Bundle}, {first.Metadata, again.Metadata}} {
			assert.Equal(t, digestOf(t, pair[0]), digestOf(t, pair[1]), name)
		}
	}
	assert.NotEqual(t, digestOf(t, first.Bundle), digestOf(t, built(t, sources(), "v1.2.4").Bundle))
	var config ocispec.Image
	require.NoError(t, json.Unmarshal(first.Bundle.Config.Data, &config))
	assert.Equal(t, "sha256:83cfce6a284208df1b8cdb25f94788c9b1636be4403c0a508d5251f0883beae3",
		config.RootFS.DiffIDs[0].String(), "the archive before it is compressed")
}

func digestOf(t testing.TB, image registry.Image) string {
	t.Helper()
	d, err := image.Digest()
	require.NoError(t, err)
	return d
}

func TestVersionOfABuild(t *testing.T) {
	withVersion := func(text string) fs.FS {
		s := sources()
		s["package.yaml"].Data = []byte(text)
		return s
	}
	flow := `{apiVersion: v1, type: Application, name: web}`
	own := "version: v2.0.0\n" + definition
	for name, tt := range map[string]struct {
		definition, version string
		want                string // package.yaml in the image
		warning, err        string
	}{
		"put in":          {definition, "v1.0.0", definition + "version: v1.0.0\n", "", ""},
		"of package.yaml": {own, "", own, "", ""},
		"replaced": {
			own, "v2.0.1", "version: v2.0.1\n" + definition,
			"package.yaml: warning: version: is v2.0.0, and v2.0.1 is built, which counts", "",
		},
		"dev is replaced":  {"version: dev\n" + definition, "v2.0.1", "version: v2.0.1\n" + definition, "", ""},
		"the same":         {own, "v2.0.0", own, "", ""},
		"in braces":        {flow, "v1.0.0", "{apiVersion: v1, type: Application, name: web, version: v1.0.0}\n", "", ""},
		"none":             {definition, "", "", "", "wanted a version (vMAJOR.MINOR.PATCH); none was given, and package.yaml has none"},
		"a branch":         {definition, "main", "", "", `wanted a version such as v1.2.3, found "main"`},
		"a pre-release":    {definition, "v1.0.0-rc.1", "", "", `found "v1.0.0-rc.1"`},
		"dev is not built": {"version: dev\n" + definition, "", "", "", `found "dev"`},
	} {
		t.Run(name, func(t *testing.T) {
			images, findings, err := Build(withVersion(tt.definition), Options{Version: tt.version})
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			var warnings []string
			for _, f := range findings {
				warnings = append(warnings, f.String())
			}
			assert.Equal(t, tt.warning, strings.Join(warnings, "\n"))
			files, _ := contents(t, images.Bundle)
			assert.Equal(t, tt.want, files["package.yaml"])
			d, findings := bundle.ParseDefinition([]byte(files["package.yaml"]), "package.yaml")
			assert.Empty(t, findings)
			assert.Equal(t, images.Version, d.Version)
		})
	}
}

func TestBuildRefuses(t *testing.T) {
	broken := sources()
	broken["package.yaml"].Data = []byte("name: web")
	_, findings, err := Build(broken, Options{Version: "v1.0.0"})
	var wrong *bundle.FindingsError
	require.ErrorAs(t, err, &wrong)
	assert.NotEmpty(t, findings)

	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, sources()))
	require.NoError(t, os.Symlink("/etc/hosts", filepath.Join(dir, "docs/hosts")))
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer func() { assert.NoError(t, root.Close()) }()
	_, _, err = Build(root.FS(), Options{Version: "v1.0.0"})
	require.EqualError(t, err, "build package web v1.0.0: docs/hosts: is a link that leads out of the package")

	_, _, err = Build(sources(), Options{Version: "v1.0.0", MaxBytes: 100})
	assert.ErrorContains(t, err, "with it the package is too large")
	assert.ErrorContains(t, err, "build package web v1.0.0: ")
}

// TestLinksOfASource: a link within the package is packed as what it leads to; one
// out of it ends the build.
func TestLinksOfASource(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.CopyFS(dir, sources()))
	require.NoError(t, os.Symlink("a.yaml", filepath.Join(dir, "templates", "b.yaml")))
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer func() { assert.NoError(t, root.Close()) }()
	files, headers := contents(t, built(t, root.FS(), "v1.0.0").Bundle)
	assert.Equal(t, "a: 1", files["templates/b.yaml"])
	for _, h := range headers {
		assert.Contains(t, []byte{tar.TypeReg, tar.TypeDir}, h.Typeflag)
	}

	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("s"), 0o600))
	link := filepath.Join(dir, "templates", "c.yaml")
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret"), link))
	_, _, err = Build(root.FS(), Options{Version: "v1.0.0"})
	assert.ErrorContains(t, err, "templates/c.yaml")
	require.NoError(t, os.Remove(link))
	require.NoError(t, os.Symlink("_lib", filepath.Join(dir, "templates", "lib")))
	_, _, err = Build(root.FS(), Options{Version: "v1.0.0"})
	assert.ErrorContains(t, err, "templates/lib: wanted a file, found a link to a directory")
}
