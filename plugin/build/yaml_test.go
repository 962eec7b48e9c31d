package build

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
)

const tree = `
-- b.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: b}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: b2}
-- a.yml --
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
-- c.json --
{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}
-- README.md --
kind: nothing of this is read
-- notes.yaml.bak --
[
-- empty.yaml --
# nothing yet
-- sub/d.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: d}
-- tazuna.yaml --
spec: {manifests: [{name: set, type: yaml, path: .}]}
`

func TestYAMLDirectory(t *testing.T) {
	dir := files(t, tree)

	flat := build(t, yamlAt(dir))
	assert.Equal(t, []string{"ConfigMap a", "ConfigMap b", "ConfigMap b2", "ConfigMap c"}, refs(flat.Objects))
	assert.Equal(t, []string{
		"a.yml: document 1, line 1",
		"b.yaml: document 1, line 1", "b.yaml: document 2, line 5",
		"c.json: document 1, line 1",
	}, origins(t, dir, flat.Objects))
	assert.Equal(t, "set", flat.Manifest)

	m := yamlAt(dir)
	m.Recursive = true
	assert.Equal(t, []string{"ConfigMap a", "ConfigMap b", "ConfigMap b2", "ConfigMap c", "ConfigMap d"}, refs(build(t, m).Objects))
}

func TestYAMLFileIsReadWhateverItsName(t *testing.T) {
	dir := files(t, "-- objects.txt --\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
	assert.Equal(t, []string{"ConfigMap a"}, refs(build(t, yamlAt(filepath.Join(dir, "objects.txt"))).Objects))
}

func TestYAMLStandardInput(t *testing.T) {
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	r, err := Builder{Stdin: strings.NewReader(text)}.Build(t.Context(), yamlAt("-"))
	require.NoError(t, err)
	assert.Equal(t, "standard input: document 1, line 1", r.Objects[0].Origin.String())

	_, err = Builder{}.Build(t.Context(), yamlAt("-"))
	require.ErrorContains(t, err, "there is no standard input to read")

	m := yamlAt("from elsewhere")
	m.Inline = strings.NewReader(text)
	assert.Equal(t, "from elsewhere: document 1, line 1", build(t, m).Objects[0].Origin.String())
}

func TestYAMLRefuses(t *testing.T) {
	dir := files(t, `
-- broken/a.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data:
  k: "1"
  k: "2"
-- broken/b.yaml --
apiVersion: v1
kind: ConfigMap
-- broken/fine.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: fine}
-- kustomization/kustomization.yaml --
resources: []
-- none/README.md --
text
-- none/sub/a.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
-- comments.yaml --
# only this
`)
	at := func(path string) Manifest { return yamlAt(filepath.Join(dir, path)) }

	t.Run("every fault of every file in one error", func(t *testing.T) {
		text := refused(t, at("broken"))
		assert.Contains(t, text, "broken/a.yaml")
		assert.Contains(t, text, "broken/b.yaml")
		assert.NotContains(t, text, "fine.yaml")
		assert.Contains(t, text, "build manifest set (")
	})
	t.Run("a kustomization among the files", func(t *testing.T) {
		assert.Contains(t, refused(t, at("kustomization")), "kustomization.yaml is a kustomization: use type kustomize or -k for its directory")
	})
	t.Run("nothing there", func(t *testing.T) {
		_, err := Builder{}.Build(t.Context(), at("absent.yaml"))
		require.ErrorIs(t, err, os.ErrNotExist)
	})
	t.Run("without a name", func(t *testing.T) {
		_, err := Builder{}.Build(t.Context(), Manifest{Type: TypeYAML, Path: filepath.Join(dir, "comments.yaml")})
		require.EqualError(t, err, filepath.Join(dir, "comments.yaml")+" has no objects: no document has content; if that is meant, use --allow-empty")
	})
	t.Run("URL", func(t *testing.T) {
		assert.Contains(t, refused(t, yamlAt("https://example.com/a.yaml")), "URLs are not read")
	})
	t.Run("no object", func(t *testing.T) {
		var empty *EmptyError
		_, err := Builder{}.Build(t.Context(), at("none"))
		require.ErrorAs(t, err, &empty)
		assert.Equal(t, "set", empty.Manifest)
		assert.Contains(t, err.Error(), "subdirectories are read only with recursive: true or -R; if that is meant, use --allow-empty")

		_, err = Builder{}.Build(t.Context(), at("comments.yaml"))
		require.ErrorAs(t, err, &empty)
		assert.Contains(t, err.Error(), "no document has content")

		m := at("none")
		m.AllowEmpty = true
		assert.Empty(t, build(t, m).Objects)
	})
}

func TestYAMLFollowsLinksOnce(t *testing.T) {
	dir := files(t, `
-- set/a.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
-- elsewhere/b.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: b}
`)
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(dir, "set", name)); err != nil {
			t.Skip("no links here:", err)
		}
	}
	link("../elsewhere", "linked")
	link("..", "loop")
	link("self", "self")
	link("nowhere", "dangling")

	m := yamlAt(filepath.Join(dir, "set"))
	m.Recursive = true
	assert.Equal(t, []string{"ConfigMap a", "ConfigMap b"}, refs(build(t, m).Objects))

	link("nowhere", "dangling.yaml")
	assert.Contains(t, refused(t, m), "dangling.yaml", "a file that should be read and can't is never left out silently")
}

// What would be waited for, or has no end, is told instead of read.
func TestYAMLReadsFilesOnly(t *testing.T) {
	dir := files(t, "-- a.yaml --\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
	socket := filepath.Join(dir, "b.yaml")
	l, err := net.Listen("unix", socket)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	for _, path := range []string{dir, socket} {
		_, err := Builder{}.Build(t.Context(), yamlAt(path))
		require.ErrorContains(t, err, socket+" is a pipe, a socket or a device: wanted a file")
	}
}

func TestYAMLUnreadableFile(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	dir := files(t, "-- a.yaml --\napiVersion: v1\n")
	require.NoError(t, os.Chmod(filepath.Join(dir, "a.yaml"), 0))
	_, err := Builder{}.Build(t.Context(), yamlAt(dir))
	require.ErrorIs(t, err, os.ErrPermission)
}

func TestBuildChecksTheType(t *testing.T) {
	m := yamlAt(".")
	m.Type = "jsonnet"
	assert.Equal(t, "manifest set has the unknown type jsonnet; known: genesissecret, helm, helmfile, kustomize, oras, yaml", refused(t, m))
}

func TestBuildStopsWhenTold(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Builder{}.Build(ctx, yamlAt(t.TempDir()))
	require.Error(t, err)
	_, err = Finish(ctx, []Result{{}}, nil, "")
	require.Error(t, err)
}

func TestFromConfig(t *testing.T) {
	assert.Equal(t,
		Manifest{Name: "a", Type: "yaml", Path: "p", DefaultNamespace: "n", Recursive: true, Options: 1},
		FromConfig(config.Manifest{
			Name: "a", Type: "yaml", Path: "p", DefaultNamespace: "n", Recursive: true, Options: 1,
			Description: "d", Tags: []string{"t"}, Line: 3,
		}))
}
