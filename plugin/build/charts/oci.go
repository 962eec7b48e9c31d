package charts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
)

// Media types of the layer that a chart is in a registry.
const (
	chartLayer    = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
	oldChartLayer = "application/tar+gzip"
)

// fromRegistry pulls a chart. Tags can't hold a '+', which versions may: Helm
// writes '_' there.
func (f Fetcher) fromRegistry(ctx context.Context, s Source) (*chart.Chart, error) {
	ref, err := registry.ParseReference(s.Name)
	if err != nil {
		return nil, err
	}
	client, err := registry.New(f.options(s, ref.Host))
	if err != nil {
		return nil, err
	}
	if ref.Tag == "" && ref.Digest == "" {
		tag, err := tagOf(ctx, client, ref, s.Version)
		if err != nil {
			return nil, err
		}
		ref = ref.WithTag(tag)
	}
	artifact, err := client.Pull(ctx, ref)
	if err != nil {
		return nil, err
	}
	c, err := unpacked(ctx, artifact)
	if err := errors.Join(err, artifact.Close()); err != nil {
		return nil, err
	}
	return c, matches(s.Version, c)
}

// unpacked reads the chart that an artifact holds. The whole layer is read, so that
// its digest is held against the manifest.
func unpacked(ctx context.Context, artifact *registry.Artifact) (*chart.Chart, error) {
	layer, err := artifact.FindLayer(chartLayer, oldChartLayer)
	if err != nil {
		return nil, err
	}
	if layer.Size > maxArchive {
		return nil, fmt.Errorf("the chart has %d bytes, at most %d are read", layer.Size, maxArchive)
	}
	data, err := layer.ReadAll(ctx)
	if err != nil {
		return nil, err
	}
	return chart.LoadArchive(bytes.NewReader(data))
}

// tagOf finds the tag of a version. An exact one needs no listing.
func tagOf(ctx context.Context, client *registry.Client, ref registry.Reference, wanted string) (string, error) {
	if _, err := semver.StrictNewVersion(strings.TrimPrefix(wanted, "v")); err == nil {
		return strings.ReplaceAll(wanted, "+", "_"), nil
	}
	tags, err := client.Tags(ctx, ref)
	if err != nil {
		return "", fmt.Errorf("look for a version: %w", err)
	}
	for i, t := range tags {
		tags[i] = strings.ReplaceAll(t, "_", "+")
	}
	version, err := best(wanted, tags)
	return strings.ReplaceAll(version, "+", "_"), err
}

// matches refuses a chart of another version than was asked for: what a tag or an
// index says need not be true.
func matches(wanted string, c *chart.Chart) error {
	if wanted == "" {
		return nil
	}
	if _, err := best(wanted, []string{c.Metadata().Version}); err != nil {
		return fmt.Errorf("wanted version %s, the chart in it says %s", wanted, c.Metadata().Version)
	}
	return nil
}
