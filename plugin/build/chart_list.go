package build

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/build/charts"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
)

// ChartUse is a chart that a manifest renders.
type ChartUse struct {
	// Manifest and Release say who renders it; Namespace may be empty.
	Manifest, Release, Namespace string
	// Chart is its name, path or address without a version.
	Chart string
	// Repository is the address it comes from; empty for one on disk or in a registry.
	Repository string
	// Version is what the file asks for, for a chart on disk the one that it has;
	// empty for whatever is the highest.
	Version string
	// File is where the release is described, Line its line there; empty for a
	// manifest of type helm, which is itself the description.
	File string
	Line int
	// source finds it.
	source charts.Source
}

// Charts lists the charts of a manifest in the order of the file. Nothing is fetched
// but the artifact that holds the description; charts on disk are looked into for
// their version. Types without charts have none.
func (b Builder) Charts(ctx context.Context, m Manifest) ([]ChartUse, error) {
	uses, err := chartsOf(ctx, b, m)
	if err != nil {
		return nil, fmt.Errorf("list the charts of %s: %w", named(m.Name, m.Path), err)
	}
	return uses, nil
}

func chartsOf(ctx context.Context, b Builder, m Manifest) ([]ChartUse, error) {
	if t, known := typeNamed(m.Type); known && t.charts != nil {
		return t.charts(ctx, b, m)
	}
	return nil, nil
}

func chartsOfORAS(ctx context.Context, b Builder, m Manifest) (all []ChartUse, err error) {
	err = unpacked(ctx, b, m, func(o *orasOptions, inner Manifest, dir string) error {
		all, err = chartsOf(ctx, b, inner)
		for i := range all {
			all[i].File, all[i].Chart = o.named(all[i].File, dir), o.named(all[i].Chart, dir)
		}
		return err
	})
	return all, err
}

func chartOfHelm(ctx context.Context, b Builder, m Manifest) ([]ChartUse, error) {
	o, ok := m.Options.(*helmOptions)
	if !ok {
		return nil, errors.New("there are no options of type helm")
	}
	source := o.source(m)
	var err error
	if source.Username, source.Password, err = o.server.credentials(b.LookupEnv); err != nil {
		return nil, err
	}
	use := ChartUse{Manifest: m.Name, Release: o.release, Namespace: o.namespace}
	if use.Release == "" {
		use.Release = m.Name
	}
	err = b.describe(ctx, &use, source)
	return []ChartUse{use}, err
}

func chartsOfHelmfile(ctx context.Context, b Builder, m Manifest) ([]ChartUse, error) {
	_, file, err := b.readHelmfile(ctx, m)
	if err != nil {
		return nil, err
	}
	var all []ChartUse
	for _, r := range file.Releases {
		source, err := file.Source(r)
		if err != nil {
			return nil, err
		}
		if source.Path != "" {
			source.Within = m.Within
		}
		use := ChartUse{Manifest: m.Name, Release: r.Name, Namespace: r.Namespace, File: file.Path, Line: r.Line}
		if use.Namespace == "" {
			use.Namespace = m.DefaultNamespace
		}
		if err := b.describe(ctx, &use, source); err != nil {
			return nil, fmt.Errorf("%s:%d: release %s: %w", file.Path, r.Line, r.Name, err)
		}
		all = append(all, use)
	}
	return all, nil
}

// describe fills in what a source says of the chart.
func (b Builder) describe(ctx context.Context, use *ChartUse, s charts.Source) error {
	use.source, use.Chart, use.Repository, use.Version = s, s.Name, s.Repository, s.Version
	if s.Path == "" {
		if ref, err := registry.ParseReference(s.Name); err == nil && charts.IsOCI(s.Name) && ref.Tag != "" {
			use.Chart, use.Version = strings.TrimSuffix(s.Name, ":"+ref.Tag), ref.Tag
		}
		return nil
	}
	c, err := charts.Fetcher{Registry: b.Registry}.Fetch(ctx, s)
	if err != nil {
		return err
	}
	use.Chart, use.Version = s.Path, c.Metadata().Version
	return nil
}

// LatestChart gives the highest version that a chart's server has and that is no
// pre-release, empty for a chart on disk, and whether that is higher than what the
// file asks for allows.
func (b Builder) LatestChart(ctx context.Context, use ChartUse) (latest string, outdated bool, err error) {
	latest, err = charts.Fetcher{Registry: b.Registry}.Latest(ctx, use.source)
	return latest, charts.Outdated(use.Version, latest), err
}
