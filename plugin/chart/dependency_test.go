package chart

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// subCharts has one sub-chart behind a condition, one behind a tag, one twice
// under aliases, and one that Chart.yaml doesn't name.
const subCharts = `
-- Chart.yaml --
apiVersion: v2
name: demo
version: 0.1.0
dependencies:
- {name: db, version: "1.x", condition: db.enabled}
- {name: cache, version: "*", tags: [fast], alias: hot}
- {name: cache, version: "*", tags: [fast], alias: cold}
- {name: metrics, version: "*", import-values: [shared]}
-- values.yaml --
db: {enabled: true, size: 5}
global: {zone: eu}
-- templates/own.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: own}
data: {imported: "{{ .Values.imported }}", zone: {{ .Values.global.zone }}}
-- charts/db/Chart.yaml --
{apiVersion: v2, name: db, version: 1.2.0}
-- charts/db/values.yaml --
size: 1
user: admin
-- charts/db/crds/db.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: dbs.demo.example}
-- charts/db/templates/db.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: db}
data: {size: "{{ .Values.size }}", user: {{ .Values.user }}, zone: {{ .Values.global.zone }}}
-- charts/cache/Chart.yaml --
{apiVersion: v2, name: cache, version: 0.1.0}
-- charts/cache/templates/c.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: cache-{{ .Chart.Name }}}
-- charts/metrics/Chart.yaml --
{apiVersion: v2, name: metrics, version: 0.1.0}
-- charts/metrics/values.yaml --
exports: {shared: {imported: from-metrics}}
-- charts/metrics/templates/m.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: metrics}
-- charts/extra/Chart.yaml --
{apiVersion: v2, name: extra, version: 0.1.0}
-- charts/extra/templates/e.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: extra}
`

func TestSubCharts(t *testing.T) {
	c := chartOf(t, subCharts)
	tests := map[string]struct {
		values map[string]any
		want   []string
		crds   []string
	}{
		"as they are": {nil, []string{"cache-cold", "db", "extra", "cache-hot", "metrics", "own"}, []string{"dbs.demo.example"}},
		"condition": {
			map[string]any{"db": map[string]any{"enabled": false}},
			[]string{"cache-cold", "extra", "cache-hot", "metrics", "own"},
			nil,
		},
		"tag": {
			map[string]any{"tags": map[string]any{"fast": false}},
			[]string{"db", "extra", "metrics", "own"},
			[]string{"dbs.demo.example"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := request()
			r.Values = test.values
			result := render(t, c, r)
			var names, crds []string
			for _, o := range result.Objects {
				names = append(names, o.Name())
			}
			for _, o := range result.CRDs {
				crds = append(crds, o.Name())
			}
			assert.Equal(t, test.want, names)
			assert.Equal(t, test.crds, crds)
		})
	}
}

func TestSubChartValues(t *testing.T) {
	c := chartOf(t, subCharts)
	r := request()
	r.Values = map[string]any{"db": map[string]any{"user": "root"}, "global": map[string]any{"zone": "us"}}
	result := render(t, c, r)
	assert.Equal(t, map[string]any{"size": "5", "user": "root", "zone": "us"}, data(t, result.Objects[1]))
	assert.Equal(t, map[string]any{"imported": "from-metrics", "zone": "us"}, data(t, result.Objects[5]))
	assert.Equal(t, "demo/charts/db/crds/db.yaml: document 1, line 1", result.CRDs[0].Origin.String())

	r.SkipCRDs = true
	assert.Empty(t, render(t, c, r).CRDs)
}

func TestMetadata(t *testing.T) {
	c := chartOf(t, `
-- Chart.yaml --
{apiVersion: v2, name: demo, version: 0.1.0, appVersion: "7", kubeVersion: ">=1.30", deprecated: true, dependencies: [
  {name: db, version: "1.x", repository: "https://charts.example", alias: store}, {name: gone, version: "*"}]}
-- charts/db/Chart.yaml --
{apiVersion: v2, name: db, version: 1.2.0}
`)
	m := c.Metadata()
	assert.Equal(t, Metadata{
		Name: "demo", Version: "0.1.0", AppVersion: "7", KubeVersion: ">=1.30", Deprecated: true,
		Dependencies: []Dependency{
			{Name: "db", Version: "1.x", Repository: "https://charts.example", Alias: "store", Vendored: true},
			{Name: "gone", Version: "*"},
		},
	}, m)
	m.Dependencies[0].Name = "changed"
	assert.Equal(t, "db", c.Metadata().Dependencies[0].Name)

	_, err := c.Render(t.Context(), request())
	var missing *MissingError
	require.ErrorAs(t, err, &missing)
	assert.Equal(t, []string{"gone"}, missing.Names)
	assert.EqualError(t, err, "chart demo: Chart.yaml asks for gone, which charts/ does not have; fetch dependencies first")
}

func TestChartsThatDontFit(t *testing.T) {
	tests := map[string]struct{ chart, want string }{
		"library": {
			"-- Chart.yaml --\n{apiVersion: v2, name: demo, version: 0.1.0, type: library}\n",
			"it is a library",
		},
		"two of one name": {
			"-- charts/a/Chart.yaml --\n{apiVersion: v2, name: twin, version: 1.0.0}\n" +
				"-- charts/b/Chart.yaml --\n{apiVersion: v2, name: twin, version: 2.0.0}\n",
			`charts/ of demo has two charts "twin" (1.0.0 and 2.0.0)`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := chartOf(t, test.chart).Render(t.Context(), request())
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func TestNewRefuses(t *testing.T) {
	tests := map[string]struct{ name, text, want string }{
		"no Chart.yaml":  {"values.yaml", "a: 1", "Chart.yaml file is missing"},
		"no version":     {"Chart.yaml", "{apiVersion: v2, name: demo}", "version is required"},
		"values no map":  {"values.yaml", "- a", "values.yaml"},
		"bad Chart.yaml": {"Chart.yaml", "a: [", "Chart.yaml"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := New([]File{{Name: test.name, Data: []byte(test.text)}})
			require.Error(t, err)
			if test.name == "values.yaml" && test.want == "values.yaml" {
				_, err = New(append(filesOf(""), File{Name: test.name, Data: []byte(test.text)}))
			}
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func TestLoadDirectory(t *testing.T) {
	c, err := Load(fstest.MapFS{
		"Chart.yaml":           {Data: []byte("\xEF\xBB\xBF{apiVersion: v2, name: demo, version: 0.1.0}")},
		".helmignore":          {Data: []byte("secret/\n*.bak\n")},
		"secret/key":           {Data: []byte("x")},
		"templates/a.yaml":     {Data: []byte(configMap + "data: {files: '{{ .Files.Get \"secret/key\" }}{{ .Files.Get \"b\" }}'}")},
		"templates/a.yaml.bak": {Data: []byte("{{ fail \"ignored\" }}")},
		"templates/.hidden":    {Data: []byte("{{ fail \"ignored\" }}")},
		"b":                    {Data: []byte("b")},
	})
	require.NoError(t, err)
	assert.Equal(t, "b", data(t, render(t, c, request()).Objects[0])["files"])
}

func TestLoadArchive(t *testing.T) {
	c, err := LoadArchive(bytes.NewReader(archiveOf(t, map[string]string{
		"demo/Chart.yaml":       "{apiVersion: v2, name: demo, version: 0.1.0}",
		"demo/templates/a.yaml": configMap,
	})))
	require.NoError(t, err)
	assert.Equal(t, []string{"ConfigMap a"}, refs(render(t, c, request()).Objects))

	for _, name := range []string{"demo/../../etc/passwd", "demo//etc/passwd", "Chart.yaml"} {
		_, err := LoadArchive(bytes.NewReader(archiveOf(t, map[string]string{name: "x"})))
		assert.ErrorContains(t, err, "read chart archive: ", name)
	}
	_, err = LoadArchive(bytes.NewReader([]byte("no archive")))
	assert.Error(t, err)
}

func archiveOf(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var buf bytes.Buffer
	zipped := gzip.NewWriter(&buf)
	tarred := tar.NewWriter(zipped)
	for name, text := range files {
		require.NoError(t, tarred.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}))
		_, err := tarred.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, tarred.Close())
	require.NoError(t, zipped.Close())
	return buf.Bytes()
}

// TestLoadEndsAtLinks: a link to a parent is not followed for ever.
func TestLoadEndsAtLinks(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Chart.yaml"), []byte("{apiVersion: v2, name: demo, version: 0.1.0}"), 0o600))
	require.NoError(t, os.Symlink(".", filepath.Join(dir, "again")))
	_, err := Load(os.DirFS(dir))
	assert.ErrorContains(t, err, "read chart: ")

	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, root.Close()) })
	require.NoError(t, os.Remove(filepath.Join(dir, "again")))
	require.NoError(t, os.Symlink("/etc/hostname", filepath.Join(dir, "outside")))
	_, err = Load(root.FS())
	assert.ErrorContains(t, err, "outside", "the file system decides what a link may reach")
}

func TestRenderEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	_, err := chartOf(t, "-- templates/a.yaml --\n"+configMap).Render(ctx, request())
	assert.ErrorIs(t, err, cause)
}

// TestPackedSubChart: a sub-chart may be an archive, and what begins with _ or . in
// charts/ is none.
func TestPackedSubChart(t *testing.T) {
	packed := archiveOf(t, map[string]string{
		"sub/Chart.yaml":       "{apiVersion: v2, name: sub, version: 0.1.0}",
		"sub/templates/s.yaml": configMap,
	})
	c, err := New(append(filesOf(""),
		File{Name: "charts/sub-0.1.0.tgz", Data: packed},
		File{Name: "charts/_notes/readme", Data: []byte("x")},
	))
	require.NoError(t, err)
	result := render(t, c, request())
	require.Equal(t, []string{"ConfigMap a"}, refs(result.Objects))
	assert.Equal(t, "demo/charts/sub/templates/s.yaml", result.Objects[0].Origin.File)
}

// TestOldCharts: charts of Helm 2 name their sub-charts in a file of its own.
func TestOldCharts(t *testing.T) {
	c := chartOf(t, `
-- Chart.yaml --
{name: demo, version: 0.1.0}
-- requirements.yaml --
dependencies: [{name: sub, version: "*", condition: sub.enabled}]
-- charts/sub/Chart.yaml --
{name: sub, version: 0.1.0}
-- charts/sub/templates/s.yaml --
`+configMap)
	assert.Len(t, c.Metadata().Dependencies, 1)
	assert.Len(t, render(t, c, request()).Objects, 1)
	r := request()
	r.Values = map[string]any{"sub": map[string]any{"enabled": false}}
	assert.Empty(t, render(t, c, r).Objects)
}

// TestArchivesAreBounded: neither large files nor many small ones get through.
func TestArchivesAreBounded(t *testing.T) {
	many := map[string]string{}
	for i := range 100 {
		many["demo/"+strings.Repeat("x", i+1)] = ""
	}
	tests := map[string]struct {
		packed []byte
		limit  int64
		want   string
	}{
		"packed":  {archiveOf(t, map[string]string{"demo/a": "a"}), 10, "it has more than 10 bytes"},
		"headers": {archiveOf(t, many), 20_000, "it unpacks to more than 40000 bytes"},
		"content": {archiveOf(t, map[string]string{"demo/a": strings.Repeat("a", 100_000)}), 20_000, "it unpacks to more than 40000 bytes"},
		"fits":    {archiveOf(t, many), 60_000, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			packed, err := readPacked(bytes.NewReader(test.packed), test.limit)
			if test.want != "" {
				assert.EqualError(t, err, test.want)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.packed, packed)
		})
	}
}
