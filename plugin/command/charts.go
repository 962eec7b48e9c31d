package command

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// chartCluster answers what charts ask about the cluster that they are rendered
// for. What the cluster serves is asked for once a run, and only if a chart is
// rendered.
type chartCluster struct {
	client *cluster.Client
	warn   func(string)

	once         sync.Once
	capabilities chart.Capabilities
	err          error
}

// Capabilities implements build.Cluster.
func (c *chartCluster) Capabilities(ctx context.Context) (chart.Capabilities, error) {
	c.once.Do(func() { c.capabilities, c.err = c.ask(ctx) })
	return c.capabilities, c.err
}

func (c *chartCluster) ask(ctx context.Context) (chart.Capabilities, error) {
	version, err := c.client.ServerVersion(ctx)
	if err != nil {
		return chart.Capabilities{}, err
	}
	served, missing, err := c.client.Served(ctx)
	if err != nil {
		return chart.Capabilities{}, err
	}
	if len(missing) > 0 {
		c.warn(fmt.Sprintf("the cluster can't say what is in %s: charts take it for not served", strings.Join(missing, ", ")))
	}
	return chart.Capabilities{KubeVersion: version.GitVersion, APIVersions: served}, nil
}

// Lookup implements build.Cluster.
func (c *chartCluster) Lookup(ctx context.Context, apiVersion, kind, namespace, name string) (map[string]any, error) {
	return c.client.Lookup(ctx, apiVersion, kind, namespace, name)
}
