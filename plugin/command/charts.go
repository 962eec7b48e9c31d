package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

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

// Lookup implements build.Cluster: an object, or with an empty name a list. What
// is not there, or is no kind of the cluster, is empty.
func (c *chartCluster) Lookup(ctx context.Context, apiVersion, kind, namespace, name string) (map[string]any, error) {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil, fmt.Errorf("lookup: %w", err)
	}
	m, err := c.client.Mapping(ctx, gv.WithKind(kind).GroupKind(), gv.Version)
	var none *cluster.ErrNoKind
	switch {
	case errors.As(err, &none):
		return map[string]any{}, nil
	case err != nil:
		return nil, fmt.Errorf("lookup of %s: %w", kind, err)
	case name == "":
		return c.list(ctx, m, namespace)
	}
	found, err := c.client.Get(ctx, m, namespace, name)
	switch {
	case apierrors.IsNotFound(err):
		return map[string]any{}, nil
	case err != nil:
		return nil, fmt.Errorf("lookup: %w", err)
	}
	return found.Object, nil
}

func (c *chartCluster) list(ctx context.Context, m cluster.Mapping, namespace string) (map[string]any, error) {
	found, err := c.client.List(ctx, m, cluster.ListOptions{Namespace: namespace})
	if err != nil {
		return nil, fmt.Errorf("lookup: %w", err)
	}
	items := make([]any, len(found))
	for i, o := range found {
		items[i] = o.Object
	}
	return map[string]any{
		"apiVersion": m.GVK.GroupVersion().String(), "kind": m.GVK.Kind + "List", "items": items,
	}, nil
}
