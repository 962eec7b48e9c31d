package render

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
)

// ErrNoChart says that there is nothing to render.
var ErrNoChart = errors.New("the package has no templates")

// Template is a package that can be rendered. It is immutable and safe for
// concurrent use.
type Template struct {
	name, version string
	images        map[string]string
	// files are those of a chart without Chart.yaml; ownChart tells that the package
	// has one.
	files    []chart.File
	ownChart bool
}

// New reads the files of a bundle that rendering needs. A package without any is
// ErrNoChart.
func New(b *bundle.Bundle) (*Template, error) {
	if !b.Renders {
		return nil, ErrNoChart
	}
	files, err := chart.ReadFiles(b.FS, func(name string) bool { return name == "hooks" })
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", b.Definition.Name, bundle.NameLink(err))
	}
	t := &Template{
		name: b.Definition.Name, version: b.Definition.Version, images: maps.Clone(b.Digests), files: files,
	}
	if t.version == "" {
		t.version = "dev"
	}
	for _, f := range files {
		t.ownChart = t.ownChart || f.Name == "Chart.yaml"
	}
	return t, nil
}

// Static returns the values of a values.yaml at the top of the package, nil if it
// has none.
func (t *Template) Static() (map[string]any, error) {
	for _, f := range t.files {
		if f.Name == "values.yaml" {
			values, err := chart.ReadValues(f.Data, f.Name)
			if err != nil {
				return nil, fmt.Errorf("package %s: %w", t.name, err)
			}
			return values, nil
		}
	}
	return nil, nil
}

// chartVersion is what a made up Chart.yaml has; nothing shows it.
const chartVersion = "0.2.0"

// chart makes a chart of the files, named after the release.
func (t *Template) chart(i Instance) (*chart.Chart, error) {
	files := t.files
	if !t.ownChart {
		made := fmt.Sprintf("apiVersion: v2\nname: %q\nversion: %q\n", i.String(), chartVersion)
		files = append(files[:len(files):len(files)], chart.File{Name: "Chart.yaml", Data: []byte(made)})
	}
	return chart.New(files)
}

// Render renders the package for an instance. A fault of a template is a
// *chart.TemplateError.
func (t *Template) Render(ctx context.Context, r Request) (*Result, error) {
	result, err := t.render(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("render package %s: %w", t.name, scrubbed(err, r))
	}
	return result, nil
}

func (t *Template) render(ctx context.Context, r Request) (*Result, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	labels, err := Labels(t.name, r.Instance, r.Maintenance)
	if err != nil {
		return nil, err
	}
	roots, err := t.roots(r)
	if err != nil {
		return nil, err
	}
	made, err := t.chart(r.Instance)
	if err != nil {
		return nil, err
	}
	rendered, err := made.Render(ctx, chart.Request{
		Release: chart.Release{
			Name: r.Instance.String(), Namespace: r.Instance.Namespace, Revision: r.Revision, Upgrade: r.Revision > 1,
		},
		Values: chart.Numbers(r.Values), Capabilities: r.Capabilities, Roots: roots, Lookup: r.Lookup,
		SkipCRDs: true, LongNames: true,
	})
	if err != nil {
		return nil, err
	}
	return newResult(rendered, labels)
}

// scrubbed hides secrets in the text of an error. The error behind it is not kept:
// it has them.
func scrubbed(err error, r Request) error {
	secret := secretBody(append(r.Registry.secrets(), r.Secrets...))
	var template *chart.TemplateError
	var output *chart.OutputError
	switch {
	case errors.As(err, &output):
		return output // names no value
	case errors.As(err, &template):
		return &chart.TemplateError{
			File: template.File, Line: template.Line, Column: template.Column,
			Text: object.Scrub(r.Registry.withoutConfig(template.Text), secret), Callers: template.Callers,
		}
	}
	text := object.Scrub(r.Registry.withoutConfig(err.Error()), secret)
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}

// secretBody makes a Secret of values, which is what package object scrubs.
func secretBody(values []any) map[string]any {
	data := map[string]any{}
	var add func(any)
	add = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			for _, item := range v {
				add(item)
			}
		case []any:
			for _, item := range v {
				add(item)
			}
		case nil, bool:
		default:
			if text := strings.TrimSpace(fmt.Sprint(v)); text != "" {
				data[fmt.Sprint(len(data))] = text
			}
		}
	}
	add(values)
	return map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "x"}, "stringData": data}
}
