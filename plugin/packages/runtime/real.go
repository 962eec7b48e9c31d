package runtime

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/source"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/catalog"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/drift"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/follow"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/health"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/live"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/instance"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/orphans"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/queue"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/release"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// Catalogs fetches bundles from where repositories say.
type Catalogs struct{ Options catalog.Options }

// Bundle implements Bundles.
func (c Catalogs) Bundle(ctx context.Context, from api.RegistrySpec, name, version string) (*source.Package, error) {
	opened, err := catalog.Open(from, c.Options)
	if err != nil {
		return nil, err
	}
	return opened.Bundle(ctx, name, version)
}

// LiveHooks connects hooks with a cluster. Watches are shared with all who use the pool.
type LiveHooks struct {
	*live.Sink
	Watches *follow.Pool
}

// Monitor implements Hooks.
func (h LiveHooks) Monitor(set *hook.Set, events func(hook.Pending), failed func(error)) Monitor {
	return &live.Monitor{Set: set, Watches: h.Watches, Kinds: h.Sink.Kinds, Events: events, Failed: failed}
}

// LiveCluster answers templates.
type LiveCluster struct {
	Client *cluster.Client
	// Warn hears of groups that can't be asked.
	Warn func(text string)

	mu   sync.Mutex
	told string
}

// Capabilities asks what the cluster serves; mostly that is known already.
func (c *LiveCluster) Capabilities(ctx context.Context) (chart.Capabilities, error) {
	version, err := c.Client.ServerVersion(ctx)
	if err != nil {
		return chart.Capabilities{}, err
	}
	served, missing, err := c.Client.Served(ctx)
	if err != nil {
		return chart.Capabilities{}, err
	}
	c.warn(missing)
	return chart.Capabilities{KubeVersion: version.GitVersion, APIVersions: served}, nil
}

// warn tells of groups once, as long as they are the same.
func (c *LiveCluster) warn(missing []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := strings.Join(missing, ", ")
	if text != "" && text != c.told && c.Warn != nil {
		c.Warn("the cluster can't say what is in " + text + ": templates take it for not served")
	}
	c.told = text
}

// Lookup is the template function lookup.
func (c *LiveCluster) Lookup(ctx context.Context, apiVersion, kind, namespace, name string) (map[string]any, error) {
	return c.Client.Lookup(ctx, apiVersion, kind, namespace, name)
}

// Live says how a Runtime on a cluster is put together.
type Live struct {
	Client *cluster.Client
	Store  *status.Store
	// Changed is that of Options.
	Changed func(name string)
	// Dir is where bundles are kept, Namespaces those that are looked after.
	Dir        string
	Namespaces []string
	// Hooks says how hooks run.
	Hooks instance.HookOptions
	// Catalogs say how repositories are reached; TempDir is set here.
	Catalogs catalog.Options
	// Limit bounds one apply; 0: release.DefaultLimit. Retry is that of Options.
	Limit time.Duration
	Retry queue.Retry
	Log   *slog.Logger
}

// New makes the Runtime with all of its parts.
func (l Live) New() (*Runtime, error) {
	l.Catalogs.TempDir = TempDir(l.Dir)
	log := l.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	pool := &follow.Pool{Client: l.Client, Panicked: func(cause any, stack []byte) {
		log.Error("a watcher panicked", "cause", fmt.Sprint(cause), "stack", string(stack))
	}}
	missing := &drift.Monitor{Cluster: l.Client, Random: rand.N[time.Duration], Failed: func(err error) {
		log.Warn("some objects can't be looked for", "error", err.Error())
	}}
	r, err := New(Options{
		Bundles:  Catalogs{Options: l.Catalogs},
		Releases: &release.Service{Cluster: l.Client, Limit: l.Limit},
		Drift:    missing,
		Orphans:  &orphans.Purger{Cluster: l.Client, Log: log},
		Health:   &health.Monitor{Pool: pool, Report: func(name string, c status.Condition) { l.Store.Set(name, c) }},
		Hooks:    LiveHooks{Sink: &live.Sink{Client: l.Client, Kinds: &live.Kinds{Discovery: l.Client}}, Watches: pool},
		Cluster:  &LiveCluster{Client: l.Client, Warn: func(text string) { log.Warn(text) }},
		Store:    l.Store, Changed: l.Changed, Dir: l.Dir, Namespaces: l.Namespaces, Run: l.Hooks, Retry: l.Retry, Log: log,
	})
	if err != nil {
		return nil, err
	}
	missing.Missing = r.Missing
	return r, nil
}
