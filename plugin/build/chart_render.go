package build

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/build/charts"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// release is one chart to render, whatever kind of manifest asks for it.
type release struct {
	name, namespace string
	source          charts.Source
	values          map[string]any
	includeCRDs     bool
	// kubeVersion and apiVersions replace what the cluster says.
	kubeVersion string
	apiVersions []string
}

// render fetches and renders a release. Always as an install: what is wanted must
// not depend on what is there.
func (b Builder) render(ctx context.Context, r release) (content, error) {
	c, err := charts.Fetcher{Registry: b.Registry}.Fetch(ctx, r.source)
	if err != nil {
		return content{}, err
	}
	if missing := unvendored(c); missing != "" {
		return content{}, fmt.Errorf("chart %s: its dependency %s is not in charts/: run `helm dependency build`", r.source, missing)
	}
	capabilities, err := b.capabilities(ctx, r)
	if err != nil {
		return content{}, err
	}
	request := chart.Request{
		Release:      chart.Release{Name: r.name, Namespace: b.releaseNamespace(r)},
		Values:       r.values,
		Capabilities: capabilities,
		SkipCRDs:     !r.includeCRDs,
	}
	found := &finds{}
	if b.Cluster != nil {
		request.Lookup = found.remember(b.Cluster.Lookup)
	}
	result, err := c.Render(ctx, request)
	if err != nil {
		return content{}, discreet(err, found.bodies...)
	}
	return b.rendered(r, result), nil
}

func (b Builder) releaseNamespace(r release) string {
	for _, namespace := range []string{r.namespace, b.Namespace} {
		if namespace != "" {
			return namespace
		}
	}
	return "default"
}

// rendered gives every object of a release its home.
func (b Builder) rendered(r release, result *chart.Result) content {
	var all content
	all.Objects = slices.Concat(result.CRDs, result.Objects)
	for i := range all.Objects {
		all.Objects[i].Home = r.namespace
	}
	all.Warnings = result.Warnings
	if b.Cluster == nil && len(result.Lookups) > 0 {
		all.Warnings = append(all.Warnings, object.Warning{Text: fmt.Sprintf(
			"release %s: the chart looks for objects in the cluster (%s), and found nothing without one: what it makes of that may differ",
			r.name, asked(result.Lookups))})
	}
	hooks := slices.Clone(result.Hooks)
	for i := range hooks {
		hooks[i].Object.Home = r.namespace
	}
	of := Release{Name: r.name, Namespace: r.namespace, Hooks: hooks}
	for _, o := range all.Objects {
		ref := o.Ref()
		if ref.Namespace == "" {
			ref.Namespace = o.Home
		}
		of.Objects = append(of.Objects, ref)
	}
	all.releases = []Release{of}
	return all
}

func asked(lookups []chart.Lookup) string {
	first := lookups[0]
	text := fmt.Sprintf("%s %s", first.Kind, first.Name)
	if first.Name == "" {
		text = "all of kind " + first.Kind
	}
	if more := len(lookups) - 1; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// capabilities are those of the cluster, unless the release says otherwise. A
// cluster that can't be asked is an error: a chart that makes other objects for
// want of an answer must not be applied.
func (b Builder) capabilities(ctx context.Context, r release) (chart.Capabilities, error) {
	all := chart.Capabilities{KubeVersion: r.kubeVersion}
	if b.Cluster != nil && r.kubeVersion == "" {
		var err error
		if all, err = b.Cluster.Capabilities(ctx); err != nil {
			return all, fmt.Errorf("release %s: ask the cluster what it serves: %w", r.name, err)
		}
	}
	if len(r.apiVersions) > 0 {
		all.APIVersions = append(slices.Clone(all.APIVersions), r.apiVersions...)
	}
	return all, nil
}

// unvendored names a dependency that the chart doesn't bring along; empty if it
// brings all.
func unvendored(c *chart.Chart) string {
	for _, d := range c.Metadata().Dependencies {
		if !d.Vendored {
			return d.Name
		}
	}
	return ""
}

// mergedValues lays the files and then the inline values upon each other.
func mergedValues(files []string, within string, inline []byte, where string) (map[string]any, error) {
	all := map[string]any{}
	for _, file := range files {
		data, err := readWithin(within, file)
		if err != nil {
			return nil, fmt.Errorf("read values: %w", err)
		}
		values, err := chart.ReadValues(data, file)
		if err != nil {
			return nil, err
		}
		all = chart.MergeValues(all, values)
	}
	if len(inline) == 0 {
		return all, nil
	}
	values, err := chart.ReadInline(inline, where)
	if err != nil {
		return nil, err
	}
	return chart.MergeValues(all, maps.Clone(values)), nil
}
