package inventory

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// Watcher is what Follow asks of a cluster; *cluster.Client has it.
type Watcher interface {
	Client
	Collect(ctx context.Context, m cluster.Mapping, o cluster.ListOptions) (cluster.Collection, error)
	Watch(ctx context.Context, m cluster.Mapping, namespace string, o cluster.ListOptions) (watch.Interface, error)
}

var _ Watcher = (*cluster.Client)(nil)

const (
	// askEvery is how often objects are read that can't be watched.
	askEvery = 2 * time.Second
	// firstGap and longestGap bound the pause before a watch is opened again.
	firstGap   = 100 * time.Millisecond
	longestGap = 10 * time.Second
)

// Follower keeps the live objects of entries, by watches. While nothing changes it
// makes no request but those that open watches again which the server has ended.
type Follower struct {
	client  Watcher
	clock   clock.Clock
	changed chan struct{}

	mu   sync.Mutex
	live map[state.Key]Found
}

// Follow starts to follow the objects of entries, which were as first says, until ctx
// ends. What may not be listed or watched, and what is of a kind that isn't served, is
// read again and again.
func Follow(ctx context.Context, c Watcher, clk clock.Clock, entries []state.Entry, first map[state.Key]Found) *Follower {
	f := &Follower{client: c, clock: clk, changed: make(chan struct{}, 1), live: maps.Clone(first)}
	kinds, unserved := byKind(ctx, c, entries)
	for _, k := range kinds {
		for _, s := range k.scopes() {
			go f.keep(ctx, s)
		}
	}
	if len(unserved) > 0 {
		go f.ask(ctx, slices.Collect(maps.Keys(unserved)))
	}
	return f
}

// Changed receives when something has changed since the last receive.
func (f *Follower) Changed() <-chan struct{} { return f.changed }

// Live is what the cluster has of the entries now.
func (f *Follower) Live() map[state.Key]Found {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.live)
}

// see notes what is known of one entry.
func (f *Follower) see(key state.Key, found Found) {
	f.mu.Lock()
	old, known := f.live[key]
	f.live[key] = found
	f.mu.Unlock()
	if known && old.Err == nil && found.Err == nil && version(old.Object) == version(found.Object) {
		return
	}
	select {
	case f.changed <- struct{}{}:
	default: // there is one to be received
	}
}

func version(u *unstructured.Unstructured) string {
	if u == nil {
		return ""
	}
	return string(u.GetUID()) + "@" + u.GetResourceVersion()
}

// scope is what one watch sees.
type scope struct {
	mapping cluster.Mapping
	// namespace is empty for all; name is empty for all of them.
	namespace, name string
	keys            map[object.Ref]state.Key
}

// scopes cut a kind up: a few namespaces are watched one by one, as everybody else's
// objects would come along, and a single object by its name.
func (k *kind) scopes() []*scope {
	byNamespace := map[string]*scope{}
	for _, key := range k.keys {
		ref := k.place(key)
		namespace := ref.Namespace
		if len(k.namespaces) > fewObjects {
			namespace = ""
		}
		s := byNamespace[namespace]
		if s == nil {
			s = &scope{mapping: k.mapping, namespace: namespace, keys: map[object.Ref]state.Key{}}
			byNamespace[namespace] = s
		}
		s.keys[object.Ref{Namespace: ref.Namespace, Name: ref.Name}] = key
	}
	var out []*scope
	for _, s := range byNamespace {
		if len(s.keys) == 1 {
			for ref := range s.keys {
				s.name = ref.Name
			}
		}
		out = append(out, s)
	}
	return out
}

func (s *scope) options() cluster.ListOptions {
	o := cluster.ListOptions{Namespace: s.namespace}
	if s.name != "" {
		o.FieldSelector = "metadata.name=" + s.name
	}
	return o
}

// key finds the entry of an object.
func (s *scope) key(u *unstructured.Unstructured) (state.Key, bool) {
	key, ok := s.keys[object.Ref{Namespace: u.GetNamespace(), Name: u.GetName()}]
	return key, ok
}

// keep lists and watches, again whenever the watch ends.
func (f *Follower) keep(ctx context.Context, s *scope) {
	gap := firstGap
	for ctx.Err() == nil {
		heard, err := f.once(ctx, s)
		if apierrors.IsForbidden(err) || apierrors.IsMethodNotSupported(err) {
			f.ask(ctx, slices.Collect(maps.Values(s.keys)))
			return
		}
		if heard {
			gap = firstGap
		}
		f.sleep(ctx, gap)
		gap = min(2*gap, longestGap)
	}
}

// once lists and watches until the watch ends, and tells whether it heard anything.
func (f *Follower) once(ctx context.Context, s *scope) (heard bool, err error) {
	o := s.options()
	list, err := f.client.Collect(ctx, s.mapping, o)
	if err != nil {
		return false, err
	}
	found := map[state.Key]*unstructured.Unstructured{}
	for _, u := range list.Items {
		if key, ok := s.key(u); ok {
			found[key] = u
		}
	}
	for _, key := range s.keys {
		f.see(key, Found{Mapping: s.mapping, Object: found[key]})
	}
	o.ResourceVersion = list.ResourceVersion
	w, err := f.client.Watch(ctx, s.mapping, s.namespace, o)
	if err != nil {
		return false, err
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return heard, nil
		case e, open := <-w.ResultChan():
			u, isObject := e.Object.(*unstructured.Unstructured)
			if !open || e.Type == watch.Error || !isObject {
				return heard, nil
			}
			heard = true
			key, ok := s.key(u)
			if !ok || e.Type == watch.Bookmark {
				continue
			}
			if e.Type == watch.Deleted {
				u = nil
			}
			f.see(key, Found{Mapping: s.mapping, Object: u})
		}
	}
}

// ask reads what can't be watched.
func (f *Follower) ask(ctx context.Context, keys []state.Key) {
	var entries []state.Entry
	for _, key := range keys {
		entries = append(entries, state.Entry{Key: key})
	}
	for {
		f.sleep(ctx, askEvery)
		found, err := Live(ctx, f.client, entries)
		if err != nil {
			return
		}
		for key, now := range found {
			f.see(key, now)
		}
	}
}

func (f *Follower) sleep(ctx context.Context, d time.Duration) {
	timer := f.clock.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C():
	}
}
