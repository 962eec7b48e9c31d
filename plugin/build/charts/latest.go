package charts

import (
	"context"
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
)

// Latest gives the highest version of a chart that its server has and that is no
// pre-release, whatever version the source asks for. A chart on disk has none: "".
// Offline, a repository is known by the index that was seen last, and a registry not
// at all.
func (f Fetcher) Latest(ctx context.Context, s Source) (string, error) {
	if err := s.Check(); err != nil {
		return "", err
	}
	var versions []string
	var err error
	switch {
	case s.Path != "":
		return "", nil
	case IsOCI(s.Name):
		versions, err = f.tags(ctx, s)
	default:
		versions, err = f.listed(ctx, s)
	}
	if err != nil {
		return "", fmt.Errorf("chart %s: %w", s, err)
	}
	latest, err := best("", versions)
	if err != nil {
		return "", fmt.Errorf("chart %s: %w", s, err)
	}
	return latest, nil
}

// Outdated reports whether the highest version is higher than what a source asks for
// allows: a version, a constraint, or "" for whatever is the highest.
func Outdated(wanted, latest string) bool {
	if wanted == "" || latest == "" {
		return false
	}
	newest, err := semver.NewVersion(latest)
	if err != nil {
		return false
	}
	if exact, err := semver.NewVersion(wanted); err == nil {
		return newest.GreaterThan(exact)
	}
	constraint, err := semver.NewConstraint(wanted)
	return err == nil && !constraint.Check(newest)
}

// tags are the versions that a registry has of a chart.
func (f Fetcher) tags(ctx context.Context, s Source) ([]string, error) {
	ref, err := registry.ParseReference(s.Name)
	if err != nil {
		return nil, err
	}
	client, err := registry.New(f.options(s, ref.Host))
	if err != nil {
		return nil, err
	}
	tags, err := client.Tags(ctx, ref)
	for i, t := range tags {
		tags[i] = strings.ReplaceAll(t, "_", "+")
	}
	return tags, err
}

// listed are the versions that a repository's index has of a chart.
func (f Fetcher) listed(ctx context.Context, s Source) ([]string, error) {
	w, err := f.repository(s)
	if err != nil {
		return nil, err
	}
	entries, err := w.entries(ctx, s.Name)
	if err != nil {
		return nil, err
	}
	return versionsOf(entries), nil
}

// entries are what the index has of a chart.
func (w *web) entries(ctx context.Context, name string) ([]indexEntry, error) {
	data, err := w.index(ctx)
	if err != nil {
		return nil, fmt.Errorf("read index.yaml: %w", err)
	}
	var all index
	if err := yaml.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("index.yaml is no YAML of a chart repository: %w", err)
	}
	entries := all.Entries[name]
	if len(entries) == 0 {
		return nil, fmt.Errorf("the repository has no chart %q", name)
	}
	return entries, nil
}

func versionsOf(entries []indexEntry) []string {
	var versions []string
	for _, e := range entries {
		versions = append(versions, e.Version)
	}
	return versions
}
