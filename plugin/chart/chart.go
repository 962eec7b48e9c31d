package chart

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/loader/archive"
	helm "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
)

// File is one file of a chart.
type File struct {
	Name string // path below the chart's directory, with "/": "templates/web.yaml"
	Data []byte
}

// Metadata is what Chart.yaml says, as far as callers need it.
type Metadata struct {
	Name        string
	Version     string
	AppVersion  string
	KubeVersion string // constraint on the version of Kubernetes, "" is any
	Description string
	Library     bool // type: library, has no templates of its own
	Deprecated  bool
	// Dependencies are those that Chart.yaml declares, whether or not they lie
	// in charts/.
	Dependencies []Dependency
}

// Dependency is a sub-chart that Chart.yaml asks for.
type Dependency struct {
	Name       string
	Alias      string // name it has in this chart, "" is Name
	Version    string // constraint
	Repository string // where it comes from: https://, oci://, file://, @name or ""
	Vendored   bool   // lies in charts/
}

// Chart is a chart as files. It is never changed and safe for concurrent use.
type Chart struct {
	files    []File
	metadata Metadata
	defaults map[string]any // values.yaml of the chart itself
}

// New makes a chart of files. Chart.yaml must be among them. What the files hold
// must not be changed afterwards.
func New(files []File) (*Chart, error) {
	c := &Chart{files: slices.Clone(files)}
	slices.SortStableFunc(c.files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	loaded, err := c.load()
	if err != nil {
		return nil, err
	}
	c.metadata = metadataOf(loaded)
	c.defaults = loaded.Values
	return c, nil
}

// Metadata returns what Chart.yaml says.
func (c *Chart) Metadata() Metadata {
	m := c.metadata
	m.Dependencies = slices.Clone(m.Dependencies)
	return m
}

// Defaults returns a copy of the chart's own values.yaml, without those of its
// sub-charts.
func (c *Chart) Defaults() map[string]any {
	return copyMap(c.defaults)
}

// load makes Helm's form of the chart. It is made anew for each render, because
// Helm removes disabled sub-charts from it and moves values between them.
func (c *Chart) load() (*helm.Chart, error) {
	files := make([]*archive.BufferedFile, len(c.files))
	for i, f := range c.files {
		files[i] = &archive.BufferedFile{Name: f.Name, Data: f.Data}
	}
	loaded, err := loader.LoadFiles(files)
	if err != nil {
		return nil, fmt.Errorf("load chart: %w", err)
	}
	sortDependencies(loaded)
	return loaded, nil
}

// sortDependencies gives sub-charts a lasting order: Helm's loader has none.
func sortDependencies(c *helm.Chart) {
	children := slices.Clone(c.Dependencies())
	slices.SortStableFunc(children, func(a, b *helm.Chart) int {
		return strings.Compare(a.Name()+"@"+a.Metadata.Version, b.Name()+"@"+b.Metadata.Version)
	})
	for _, child := range children {
		sortDependencies(child)
	}
	c.SetDependencies(children...)
}

func metadataOf(c *helm.Chart) Metadata {
	m := Metadata{
		Name:        c.Metadata.Name,
		Version:     c.Metadata.Version,
		AppVersion:  c.Metadata.AppVersion,
		KubeVersion: c.Metadata.KubeVersion,
		Description: c.Metadata.Description,
		Library:     strings.EqualFold(c.Metadata.Type, "library"),
		Deprecated:  c.Metadata.Deprecated,
	}
	for _, d := range c.Metadata.Dependencies {
		m.Dependencies = append(m.Dependencies, Dependency{
			Name: d.Name, Alias: d.Alias, Version: d.Version, Repository: d.Repository,
			Vendored: slices.ContainsFunc(c.Dependencies(), func(child *helm.Chart) bool {
				return child.Name() == d.Name
			}),
		})
	}
	return m
}

// ReadValues reads a values file as Helm does: the documents of a stream are
// merged, later ones win, and numbers are float64.
func ReadValues(data []byte, file string) (map[string]any, error) {
	values, err := loader.LoadValues(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("read values %s: %w", file, err)
	}
	return values, nil
}

// MergeValues returns base with over laid upon it, as Helm lays one values file
// upon another: maps are merged, everything else is replaced. null stays, and
// removes a default of the chart when it is rendered.
func MergeValues(base, over map[string]any) map[string]any {
	return loader.MergeMaps(copyMap(base), copyMap(over))
}

func copyMap(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = copyValue(v)
	}
	return out
}

// copyValue copies maps and lists; anything else in values is immutable.
func copyValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return copyMap(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = copyValue(v[i])
		}
		return out
	default:
		return v
	}
}
