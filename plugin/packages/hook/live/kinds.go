package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// rediscoverGap is the shortest time between two downloads of the discovery for
// kinds that weren't found.
const rediscoverGap = 5 * time.Second

// Discovery is the part of cluster.Client that finds kinds.
type Discovery interface {
	Mapping(ctx context.Context, gk schema.GroupKind, version string) (cluster.Mapping, error)
	Kinds(ctx context.Context) (kinds []cluster.Mapping, complete bool, err error)
	InvalidateDiscovery()
}

// Kinds finds out which resource the words of a hook mean: hooks write a kind, its
// plural or a short name, in any case, with or without a version. It is shared by
// all instances and may be used by several goroutines.
type Kinds struct {
	Discovery Discovery
	// Clock is the real one if nil.
	Clock clock.PassiveClock

	mu   sync.Mutex
	last time.Time
}

// Find gives the resource. What isn't found is looked for once more in what the
// server serves now, at most every few seconds. The error is a *cluster.ErrNoKind
// then.
func (k *Kinds) Find(ctx context.Context, apiVersion, kind string) (cluster.Mapping, error) {
	m, err := k.find(ctx, apiVersion, kind)
	var none *cluster.ErrNoKind
	if !errors.As(err, &none) || !k.refresh() {
		return m, err
	}
	return k.find(ctx, apiVersion, kind)
}

// refresh drops what is known of the server, unless that was just done.
func (k *Kinds) refresh() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now()
	if k.Clock != nil {
		now = k.Clock.Now()
	}
	if !k.last.IsZero() && now.Sub(k.last) < rediscoverGap {
		return false
	}
	k.last = now
	k.Discovery.InvalidateDiscovery()
	return true
}

func (k *Kinds) find(ctx context.Context, apiVersion, kind string) (cluster.Mapping, error) {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return cluster.Mapping{}, fmt.Errorf("apiVersion %q: %w", apiVersion, err)
	}
	if apiVersion != "" {
		m, err := k.Discovery.Mapping(ctx, gv.WithKind(kind).GroupKind(), gv.Version)
		if err == nil {
			return m, nil
		}
	}
	kinds, complete, err := k.Discovery.Kinds(ctx)
	if err != nil {
		return cluster.Mapping{}, err
	}
	for _, m := range kinds {
		if isNamed(m, kind) && (apiVersion == "" || m.GVK.Group == gv.Group) {
			return k.Discovery.Mapping(ctx, m.GVK.GroupKind(), gv.Version)
		}
	}
	if !complete {
		return cluster.Mapping{}, fmt.Errorf("kind %q %s: not found, and not all groups of the server can be asked now", kind, apiVersion)
	}
	return cluster.Mapping{}, &cluster.ErrNoKind{GroupKind: gv.WithKind(kind).GroupKind(), Version: gv.Version}
}

func isNamed(m cluster.Mapping, word string) bool {
	return strings.EqualFold(m.GVK.Kind, word) ||
		slices.ContainsFunc(m.Names, func(name string) bool { return strings.EqualFold(name, word) })
}
