package main

import (
	"archive/tar"
	"bytes"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

const programText = "#!/bin/sh\n"

// aMade is a release whose programs are small scripts.
func aMade(t *testing.T) made {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubectl-tazuna")
	require.NoError(t, os.WriteFile(file, []byte(programText), 0o600))
	return made{
		commit: "3f1c", committed: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC),
		programs: map[string]string{"linux/amd64": file, "linux/arm64": file},
	}
}

// base is the base image as goreleaser finds it: pushed and pulled again.
func base(t *testing.T) v1.ImageIndex {
	t.Helper()
	server := httptest.NewServer(registry.New())
	t.Cleanup(server.Close)
	host := server.Listener.Addr().String()
	ref, err := pushBase(t.Context(), host, t.TempDir())
	require.NoError(t, err)
	assert.Equal(t, host+"/base:static", ref)
	index, err := pull(t.Context(), host+"/base", "static", t.TempDir())
	require.NoError(t, err)
	return index
}

// onTop is an image as ko makes it of the base for this platform, before change.
func onTop(t *testing.T, index v1.ImageIndex, m made, files map[string]string, change func(*v1.ConfigFile)) v1.Image {
	t.Helper()
	manifest, err := index.IndexManifest()
	require.NoError(t, err)
	image, err := index.Image(manifest.Manifests[0].Digest)
	require.NoError(t, err)
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		var out bytes.Buffer
		w := tar.NewWriter(&out)
		for name, text := range files {
			require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o555, Size: int64(len(text))}))
			_, err := io.WriteString(w, text)
			require.NoError(t, err)
		}
		return io.NopCloser(&out), w.Close()
	})
	require.NoError(t, err)
	image, err = mutate.AppendLayers(image, layer)
	require.NoError(t, err)
	config, err := image.ConfigFile()
	require.NoError(t, err)
	config = config.DeepCopy()
	config.Created = v1.Time{Time: m.committed}
	config.Config.User, config.Config.Entrypoint, config.Config.Labels = user, []string{entry}, wantedLabels(m)
	if change != nil {
		change(config)
	}
	image, err = mutate.ConfigFile(image, config)
	require.NoError(t, err)
	return image
}

func TestCheckImage(t *testing.T) {
	program := map[string]string{"/ko-app/kubectl-tazuna": programText}
	tests := map[string]struct {
		files  map[string]string
		change func(*v1.ConfigFile)
		want   string
	}{
		"as it should be":     {files: program},
		"runs as root":        {files: program, change: func(c *v1.ConfigFile) { c.Config.User = "" }, want: `user: wanted "65532:65532", found ""`},
		"runs something else": {files: program, change: func(c *v1.ConfigFile) { c.Config.Entrypoint = []string{"/bin/sh"} }, want: `entry point: wanted "/ko-app/kubectl-tazuna", found "/bin/sh"`},
		"has a time of its own": {
			files: program, change: func(c *v1.ConfigFile) { c.Created = v1.Time{} }, want: `time: wanted "2026-03-02`,
		},
		"doesn't say what it is": {
			files: program, change: func(c *v1.ConfigFile) { c.Config.Labels = nil }, want: `label org.opencontainers.image.revision: wanted "3f1c", found ""`,
		},
		"lost the certificates": {files: program, change: func(c *v1.ConfigFile) { c.Config.Env = nil }, want: "environment: wanted that of the base image"},
		"another program":       {files: map[string]string{"/ko-app/kubectl-tazuna": "other"}, want: "isn't the program of the archives"},
		"no program":            {want: "there is no /ko-app/kubectl-tazuna"},
		"something beside it": {
			files: map[string]string{"/ko-app/kubectl-tazuna": programText, "/bin/sh": ""}, want: `wanted no other files, found ["bin/sh"]`,
		},
	}
	index := base(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := aMade(t)
			err := checkImage(onTop(t, index, m, test.files, test.change), "linux/amd64", m)
			if test.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func TestCheckIndex(t *testing.T) {
	index := base(t)
	err := checkIndex(io.Discard, index, aMade(t))
	assert.ErrorContains(t, err, `linux/amd64: user: wanted "65532:65532", found ""`)
	assert.ErrorContains(t, err, `linux/arm64: user`, "all that is wrong comes in one error")
	assert.NotContains(t, err.Error(), "wanted images for")

	one := mutate.RemoveManifests(index, func(d v1.Descriptor) bool { return d.Platform.Architecture == "arm64" })
	assert.ErrorContains(t, checkIndex(io.Discard, one, aMade(t)), "wanted images for [linux/amd64 linux/arm64], found [linux/amd64]")
}

func TestStartRefusesAnotherVersion(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the image is for linux")
	}
	err := start(t.Context(), io.Discard, base(t))
	assert.ErrorContains(t, err, entry+" version", "the base has no such program")
}

func TestImageOnly(t *testing.T) {
	written, err := os.ReadFile(filepath.Join("..", "..", "..", ".goreleaser.yaml"))
	require.NoError(t, err)
	config, err := imageOnly(written, "127.0.0.1:1/base:static")
	require.NoError(t, err)
	var before, after struct {
		Builds  []map[string]any `json:"builds"`
		Kos     []map[string]any `json:"kos"`
		Krews   []any            `json:"krews"`
		Release struct{ Disable bool }
	}
	require.NoError(t, yaml.Unmarshal(written, &before))
	require.NoError(t, yaml.Unmarshal(config, &after))
	assert.True(t, after.Release.Disable, "nothing is published but the image")
	assert.Empty(t, after.Krews)
	assert.Equal(t, "127.0.0.1:1/base:static", after.Kos[0]["base_image"])
	before.Kos[0]["base_image"] = after.Kos[0]["base_image"]
	assert.Equal(t, before.Kos, after.Kos, "every other setting of the image is that of a release")
	before.Builds[0]["goos"] = after.Builds[0]["goos"]
	assert.Equal(t, before.Builds, after.Builds)

	_, err = imageOnly([]byte("builds: [{}]\nkos: [{}]"), "x")
	assert.ErrorContains(t, err, "wanted a base_image in kos")
	_, err = imageOnly([]byte("builds: []"), "x")
	assert.ErrorContains(t, err, "found 0 and 0")
}
