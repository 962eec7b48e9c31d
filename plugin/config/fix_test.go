package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFix(t *testing.T) {
	const text = `# What a cluster starts with.
spec:
  manifests:
  # first the network
  - type: kustomize   # by hand
    path: cni/overlays/{{ .Environment }}
  - {type: yaml, path: ./My Dir}
  - name: named
    type: yaml
    path: named
  -
    path: deep/my-dir
    type: yaml
  - includes: [{path: more.yaml}]
  - {  }
`
	o := disk(map[string]string{
		"tazuna.yaml": text[:len(text)-len("  - {  }\n")],
		"more.yaml":   "spec:\r\n  manifests:\r\n  - type: yaml\r\n    path: named\r\n",
	})
	fixed, err := Fix("tazuna.yaml", o)
	require.NoError(t, err)
	require.Len(t, fixed, 2)
	assert.Equal(t, `# What a cluster starts with.
spec:
  manifests:
  # first the network
  - name: kustomize-overlays
    type: kustomize   # by hand
    path: cni/overlays/{{ .Environment }}
  - {name: yaml-my-dir, type: yaml, path: ./My Dir}
  - name: named
    type: yaml
    path: named
  -
    name: yaml-my-dir-2
    path: deep/my-dir
    type: yaml
  - includes: [{path: more.yaml}]
`, string(fixed[0].Text), "comments, order and templates stay")
	assert.Equal(t, []string{"kustomize-overlays", "yaml-my-dir", "yaml-my-dir-2"}, fixed[0].Names)
	assert.Equal(t, "spec:\r\n  manifests:\r\n  - name: yaml-named\r\n    type: yaml\r\n    path: named\r\n", string(fixed[1].Text))

	again := disk(map[string]string{"tazuna.yaml": string(fixed[0].Text), "more.yaml": string(fixed[1].Text)})
	_, err = Load("tazuna.yaml", again)
	require.NoError(t, err, "what is fixed loads")
	fixed, err = Fix("tazuna.yaml", again)
	require.NoError(t, err)
	assert.Empty(t, fixed, "and needs nothing more")
}

func TestFixWhereATemplateHidesThePlace(t *testing.T) {
	o := disk(map[string]string{"tazuna.yaml": "spec:\n  manifests:\n  - {{ if true }}{type: yaml, path: a}{{ end }}\n"})
	_, err := Fix("tazuna.yaml", o)
	require.EqualError(t, err, "tazuna.yaml:3: a template hides the place: write name: yaml-a by hand")
}

func TestWriteFixed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tazuna.yaml")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	require.NoError(t, WriteFixed(Fixed{Path: path, Text: []byte("new")}))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "new", string(data))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "the mode stays")
	require.Error(t, WriteFixed(Fixed{Path: filepath.Join(filepath.Dir(path), "none", "tazuna.yaml")}))
}
