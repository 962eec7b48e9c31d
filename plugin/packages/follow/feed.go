package follow

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// feed is one watch and those who hear of it. It is the store of a reflector.
type feed struct {
	query  Query
	users  int // guarded by the pool
	cancel context.CancelFunc
	done   chan struct{}
	synced chan struct{} // closed after the first complete list

	mu      sync.Mutex
	objects map[object.Ref]map[string]any
	members map[*Following]bool
	listed  bool
	err     error // why the last list or watch could not be had; nil since it can
}

func newFeed(q Query, cancel context.CancelFunc) *feed {
	return &feed{
		query: q, cancel: cancel, done: make(chan struct{}), synced: make(chan struct{}),
		objects: map[object.Ref]map[string]any{}, members: map[*Following]bool{},
	}
}

// run keeps the watch until the context ends.
func (f *feed) run(ctx context.Context, c Client, clk clock.Clock) {
	defer close(f.done)
	quiet := logr.Discard() // what goes wrong is told by Following.Err
	r := cache.NewReflectorWithOptions(&reader{feed: f, client: c}, nil, f, cache.ReflectorOptions{
		Logger: &quiet, Name: f.query.Mapping.GVR.String(), Clock: clk,
	})
	r.RunWithContext(klog.NewContext(ctx, quiet))
}

// join adds a Following, which begins with what is known.
func (f *feed) join(m *Following) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.members[m] = true
	if f.listed {
		m.put(func(in *inbox) { in.reset(f.all()) })
	}
}

func (f *feed) drop(m *Following) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.members, m)
}

// all lists the objects in the order of their names.
func (f *feed) all() []map[string]any {
	refs := make([]object.Ref, 0, len(f.objects))
	for ref := range f.objects {
		refs = append(refs, ref)
	}
	slices.SortFunc(refs, object.CompareRefs)
	bodies := make([]map[string]any, len(refs))
	for i, ref := range refs {
		bodies[i] = f.objects[ref]
	}
	return bodies
}

// tell puts something into the inbox of each member.
func (f *feed) tell(change func(*inbox)) {
	for m := range f.members {
		m.put(change)
	}
}

// Add and Update take the state of an object, Delete its end, Replace a whole list:
// they are called by the reflector.
func (f *feed) Add(obj any) error { return f.Update(obj) }

func (f *feed) Update(obj any) error {
	u, err := bodyOf(obj)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	ref, body := object.RefOf(u.Object), f.query.trim(u.Object)
	f.objects[ref] = body
	f.tell(func(in *inbox) { in.set(ref, body) })
	return nil
}

func (f *feed) Delete(obj any) error {
	u, err := bodyOf(obj)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	ref := object.RefOf(u.Object)
	delete(f.objects, ref)
	f.tell(func(in *inbox) { in.remove(ref) })
	return nil
}

func (f *feed) Replace(list []any, _ string) error {
	objects := make(map[object.Ref]map[string]any, len(list))
	for _, item := range list {
		u, err := bodyOf(item)
		if err != nil {
			return err
		}
		objects[object.RefOf(u.Object)] = f.query.trim(u.Object)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.objects = objects
	if !f.listed {
		f.listed = true
		close(f.synced)
	}
	bodies := f.all()
	f.tell(func(in *inbox) { in.reset(bodies) })
	return nil
}

// Resync has no meaning here: nothing is ever resent.
func (f *feed) Resync() error { return nil }

func bodyOf(obj any) (*unstructured.Unstructured, error) {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("watch: wanted an object, found %T", obj)
	}
	return u, nil
}

func (f *feed) failed(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func (f *feed) lastError() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// reader is the way of the reflector to the cluster.
type reader struct {
	feed   *feed
	client Client
}

// IsWatchListSemanticsUnSupported keeps the reflector to list first, then watch:
// cluster.Client watches have no initial events.
func (*reader) IsWatchListSemanticsUnSupported() bool { return true }

// List and Watch are those without a context, which a reflector never calls when it
// is offered the others.
func (r *reader) List(o metav1.ListOptions) (runtime.Object, error) {
	return r.ListWithContext(context.Background(), o)
}

func (r *reader) Watch(o metav1.ListOptions) (watch.Interface, error) {
	return r.WatchWithContext(context.Background(), o)
}

func (r *reader) ListWithContext(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
	collection, err := r.client.Collect(ctx, r.feed.query.Mapping, r.feed.query.options(""))
	r.feed.failed(err)
	if err != nil {
		return nil, err
	}
	list := &unstructured.UnstructuredList{Items: make([]unstructured.Unstructured, len(collection.Items))}
	for i, item := range collection.Items {
		list.Items[i] = *item
	}
	list.SetResourceVersion(collection.ResourceVersion)
	return list, nil
}

func (r *reader) WatchWithContext(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	w, err := r.client.Watch(ctx, r.feed.query.Mapping, r.feed.query.Namespace, r.feed.query.options(o.ResourceVersion))
	if ctx.Err() == nil {
		r.feed.failed(err)
	}
	return w, err
}
