package runtime

import (
	"context"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/source"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/drift"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/live"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/release"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// Bundles fetches packages: catalog.Open and Catalog.Bundle.
type Bundles interface {
	// Bundle fetches a version of a package. The caller closes it.
	Bundle(ctx context.Context, from api.RegistrySpec, name, version string) (*source.Package, error)
}

// Releases brings objects into the cluster: *release.Service.
type Releases interface {
	Upgrade(ctx context.Context, r release.Request) (release.Outcome, error)
	Preview(ctx context.Context, r release.Request) (*plan.Plan, error)
	Uninstall(ctx context.Context, namespace, instance string, waits func([]release.Waiting)) error
	Installed(ctx context.Context) ([]release.Found, error)
	Latest(ctx context.Context, namespace, instance string) (*release.Revision, error)
}

// Drift looks for objects that are missing: *drift.Monitor, whose Missing is
// Runtime.Missing.
type Drift interface {
	Expect(name string, objects []drift.Object)
	Forget(name string)
	Pause(name string) (resume func())
	Run(ctx context.Context)
}

// Orphans deletes what a release leaves behind: *orphans.Purger.
type Orphans interface {
	// Purge deletes the objects of an application that are of the kinds in a list, which
	// is the value orphanResources as it is.
	Purge(ctx context.Context, namespace, instance string, list any) error
}

// Health reports status.Scaled of applications: *health.Monitor, which whoever makes it
// starts and stops.
type Health interface {
	Watch(namespace, instance string)
	Forget(namespace, instance string)
}

// Hooks connects hooks with the cluster.
type Hooks interface {
	hook.Sink
	// Monitor makes what watches for the hooks of one set. Events takes the runs that are
	// called for, failed what keeps a snapshot away.
	Monitor(set *hook.Set, events func(hook.Pending), failed func(error)) Monitor
}

// Monitor is a *live.Monitor.
type Monitor interface {
	hook.Source
	Start(ctx context.Context) error
	Arm()
	Stop()
	Ran(hook string)
	State() map[string]map[string]live.State
}

// Cluster is what templates see of the cluster.
type Cluster interface {
	Capabilities(ctx context.Context) (chart.Capabilities, error)
	Lookup(ctx context.Context, apiVersion, kind, namespace, name string) (map[string]any, error)
}
