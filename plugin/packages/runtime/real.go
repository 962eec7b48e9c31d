package runtime

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/source"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/catalog"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/follow"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/live"
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
	// Now is the clock; time.Now if it is nil.
	Now func() time.Time

	mu    sync.Mutex
	told  string
	asked time.Time
}

// kindsAge is how old the answer may be which kinds the cluster serves when something is
// rendered: templates and plans decide by it, and kinds come and go.
const kindsAge = 30 * time.Second

// Capabilities asks what the cluster serves; mostly that is known already.
func (c *LiveCluster) Capabilities(ctx context.Context) (chart.Capabilities, error) {
	if c.isOld() {
		c.Client.ForgetKinds(ctx)
	}
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

// isOld tells whether it is time to find out anew, once.
func (c *LiveCluster) isOld() bool {
	now := time.Now
	if c.Now != nil {
		now = c.Now
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if now().Sub(c.asked) < kindsAge {
		return false
	}
	c.asked = now()
	return true
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
