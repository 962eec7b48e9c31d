package chart

import (
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// chartOf makes a chart of a txtar archive. Without a Chart.yaml it is "demo".
func chartOf(t testing.TB, archive string) *Chart {
	t.Helper()
	c, err := New(filesOf(archive))
	require.NoError(t, err)
	return c
}

func filesOf(archive string) []File {
	var files []File
	named := false
	for _, f := range txtar.Parse([]byte(archive)).Files {
		named = named || f.Name == "Chart.yaml"
		files = append(files, File{Name: f.Name, Data: f.Data})
	}
	if !named {
		files = append(files, File{Name: "Chart.yaml", Data: []byte("{apiVersion: v2, name: demo, version: 0.1.0}\n")})
	}
	return files
}

// request is one of release "web" in namespace "shop".
func request() Request {
	return Request{Release: Release{Name: "web", Namespace: "shop"}}
}

func render(t testing.TB, c *Chart, r Request) *Result {
	t.Helper()
	result, err := c.Render(t.Context(), r)
	require.NoError(t, err)
	return result
}

// caseChart loads the chart of one of the handed cases.
func caseChart(t *testing.T, name string) *Chart {
	t.Helper()
	c, err := Load(os.DirFS("testdata/cases/" + name + "/chart"))
	require.NoError(t, err)
	return c
}

func caseValues(t *testing.T, name string) map[string]any {
	t.Helper()
	path := "testdata/cases/" + name + "/values.yaml"
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	values, err := ReadValues(data, path)
	require.NoError(t, err)
	return values
}

func refs(objects []object.Object) []string {
	var all []string
	for _, o := range objects {
		all = append(all, o.Ref().String())
	}
	return all
}

func warnings(r *Result) string {
	var lines []string
	for _, w := range r.Warnings {
		lines = append(lines, w.String())
	}
	return strings.Join(lines, "\n")
}

// data returns the data of a rendered ConfigMap.
func data(t testing.TB, o object.Object) map[string]any {
	t.Helper()
	m, ok := o.Body["data"].(map[string]any)
	require.True(t, ok, "%s has no data", o.Ref())
	return m
}
