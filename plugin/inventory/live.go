package inventory

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// Client is what this package asks of a cluster; *cluster.Client has it.
type Client interface {
	Mapping(ctx context.Context, gk schema.GroupKind, version string) (cluster.Mapping, error)
	Get(ctx context.Context, m cluster.Mapping, namespace, name string) (*unstructured.Unstructured, error)
	List(ctx context.Context, m cluster.Mapping, o cluster.ListOptions) ([]*unstructured.Unstructured, error)
}

var _ Client = (*cluster.Client)(nil)

// Found is what the cluster has of one entry. Both nil: the object isn't there.
type Found struct {
	Mapping cluster.Mapping
	Object  *unstructured.Unstructured
	// Err says why the object can't be read, or that its kind is not served.
	Err error
}

// fewObjects is up to how many objects of a kind are read one by one: a list would
// bring along everybody else's.
const fewObjects = 3

// concurrency bounds the requests in flight.
const concurrency = 16

// Live reads the live objects of entries. Trouble with one object or kind is in its
// Found; the error is that of a context that has ended.
func Live(ctx context.Context, c Client, entries []state.Entry) (map[state.Key]Found, error) {
	out := make(map[state.Key]Found, len(entries))
	kinds, unserved := byKind(ctx, c, entries)
	for key, err := range unserved {
		out[key] = Found{Err: err}
	}
	err := readKinds(ctx, kinds, func(inner context.Context, k *kind) map[state.Key]Found { return k.read(inner, c) }, out)
	if err != nil {
		return nil, fmt.Errorf("read the recorded objects: %w", err)
	}
	return out, ctx.Err()
}

// byKind groups entries by the resource that serves them; unserved says of the others
// why there is none.
func byKind(ctx context.Context, c Client, entries []state.Entry) (kinds map[schema.GroupVersionResource]*kind, unserved map[state.Key]error) {
	kinds, unserved = map[schema.GroupVersionResource]*kind{}, map[state.Key]error{}
	for _, e := range entries {
		m, err := Resolve(ctx, c, e.Key)
		if err != nil {
			unserved[e.Key] = err
			continue
		}
		if kinds[m.GVR] == nil {
			kinds[m.GVR] = &kind{mapping: m, namespaces: map[string]bool{}}
		}
		kinds[m.GVR].add(e.Key)
	}
	return kinds, unserved
}

// readKinds adds what read finds of each kind to out, several kinds at a time. The
// error is that of a context that has ended.
func readKinds(ctx context.Context, kinds map[schema.GroupVersionResource]*kind, read func(context.Context, *kind) map[state.Key]Found, out map[state.Key]Found) error {
	var mu sync.Mutex
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(concurrency)
	for _, k := range kinds {
		g.Go(func() error {
			found := read(inner, k)
			mu.Lock()
			defer mu.Unlock()
			maps.Copy(out, found)
			return inner.Err()
		})
	}
	return g.Wait()
}

// Resolve finds the resource that serves an entry, in another version where the
// recorded one is gone.
func Resolve(ctx context.Context, c Client, k state.Key) (cluster.Mapping, error) {
	gk := k.Ref().GroupKind()
	m, err := c.Mapping(ctx, gk, k.Version)
	var none *cluster.ErrNoKind
	if errors.As(err, &none) && len(none.Served) > 0 {
		return c.Mapping(ctx, gk, none.Served[0])
	}
	return m, err
}

// kind are the entries that one resource serves.
type kind struct {
	mapping    cluster.Mapping
	keys       []state.Key
	namespaces map[string]bool
}

func (k *kind) add(key state.Key) {
	k.keys = append(k.keys, key)
	k.namespaces[k.place(key).Namespace] = true
}

// place is where the object stands: the original tool gives cluster-scoped ones a
// namespace too.
func (k *kind) place(key state.Key) object.Ref {
	ref := key.Ref()
	if !k.mapping.Namespaced {
		ref.Namespace = ""
	}
	return ref
}

func (k *kind) read(ctx context.Context, c Client) map[state.Key]Found {
	if len(k.keys) > fewObjects {
		if found, ok := k.list(ctx, c, false); ok {
			return found
		}
	}
	out := make(map[state.Key]Found, len(k.keys))
	for _, key := range k.keys {
		ref := k.place(key)
		u, err := c.Get(ctx, k.mapping, ref.Namespace, ref.Name)
		if apierrors.IsNotFound(err) {
			u, err = nil, nil
		}
		out[key] = Found{Mapping: k.mapping, Object: u, Err: err}
	}
	return out
}

// list reads all objects at once, or only their metadata; false for a user or a kind
// without lists.
func (k *kind) list(ctx context.Context, c Client, metadataOnly bool) (map[state.Key]Found, bool) {
	o := cluster.ListOptions{MetadataOnly: metadataOnly}
	if len(k.namespaces) == 1 {
		o.Namespace = k.place(k.keys[0]).Namespace
	}
	list, err := c.List(ctx, k.mapping, o)
	if err != nil {
		return nil, false
	}
	live := make(map[object.Ref]*unstructured.Unstructured, len(list))
	for _, u := range list {
		live[object.Ref{Group: k.mapping.GVK.Group, Kind: k.mapping.GVK.Kind, Namespace: u.GetNamespace(), Name: u.GetName()}] = u
	}
	out := make(map[state.Key]Found, len(k.keys))
	for _, key := range k.keys {
		out[key] = Found{Mapping: k.mapping, Object: live[k.place(key)]}
	}
	return out, true
}
