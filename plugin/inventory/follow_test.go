package inventory

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// watched is a cluster with ConfigMaps, in namespace x, that can be watched.
type watched struct {
	mu      sync.Mutex
	objects map[string]string // name → resourceVersion
	lists   []cluster.ListOptions
	gets    int
	watches chan *watch.FakeWatcher
	denied  bool
}

func configMap(name, version string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	u.SetNamespace("x")
	u.SetName(name)
	u.SetResourceVersion(version)
	return u
}

func (w *watched) Mapping(_ context.Context, gk schema.GroupKind, version string) (cluster.Mapping, error) {
	if gk.Kind != "ConfigMap" {
		return cluster.Mapping{}, &cluster.ErrNoKind{}
	}
	return cluster.Mapping{GVK: gk.WithVersion(version), GVR: schema.GroupVersionResource{Version: version, Resource: "configmaps"}, Namespaced: true}, nil
}

func (w *watched) Get(_ context.Context, _ cluster.Mapping, _, name string) (*unstructured.Unstructured, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gets++
	if version, ok := w.objects[name]; ok {
		return configMap(name, version), nil
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{}, name)
}

func (w *watched) List(ctx context.Context, m cluster.Mapping, o cluster.ListOptions) ([]*unstructured.Unstructured, error) {
	all, err := w.Collect(ctx, m, o)
	return all.Items, err
}

func (w *watched) Collect(_ context.Context, _ cluster.Mapping, o cluster.ListOptions) (cluster.Collection, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lists = append(w.lists, o)
	if w.denied {
		return cluster.Collection{}, apierrors.NewForbidden(schema.GroupResource{}, "", nil)
	}
	out := cluster.Collection{ResourceVersion: "7"}
	for name, version := range w.objects {
		out.Items = append(out.Items, configMap(name, version))
	}
	return out, nil
}

func (w *watched) Watch(context.Context, cluster.Mapping, string, cluster.ListOptions) (watch.Interface, error) {
	fake := watch.NewFake()
	w.watches <- fake
	return fake, nil
}

func (w *watched) put(name, version string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.objects[name] = version
}

func keyNamed(name string) state.Key {
	return state.Key{Manifest: "m", Version: "v1", Kind: "ConfigMap", Namespace: "x", Name: name}
}

// following starts to follow objects of these names.
func following(t *testing.T, w *watched, names ...string) (*Follower, *clocktesting.FakeClock) {
	t.Helper()
	var entries []state.Entry
	for _, name := range names {
		entries = append(entries, state.Entry{Key: keyNamed(name)})
	}
	first, err := Live(t.Context(), w, entries)
	require.NoError(t, err)
	w.lists, w.gets = nil, 0
	clk := clocktesting.NewFakeClock(time.Unix(0, 0))
	return Follow(t.Context(), w, clk, entries, first), clk
}

func receive[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(30 * time.Second):
		require.Fail(t, "nothing came")
		panic("unreachable")
	}
}

func TestFollowByWatch(t *testing.T) {
	w := &watched{objects: map[string]string{"a": "1", "b": "1", "foreign": "1"}, watches: make(chan *watch.FakeWatcher, 1)}
	f, clk := following(t, w, "a", "b", "missing")
	stream := receive(t, w.watches)
	assert.Empty(t, f.Changed(), "the list says what was known")

	stream.Modify(configMap("foreign", "2"))
	stream.Modify(configMap("a", "2"))
	receive(t, f.Changed())
	assert.Equal(t, "2", f.Live()[keyNamed("a")].Object.GetResourceVersion())
	stream.Add(configMap("missing", "3"))
	receive(t, f.Changed())
	stream.Delete(configMap("b", "4"))
	receive(t, f.Changed())
	live := f.Live()
	assert.NotNil(t, live[keyNamed("missing")].Object)
	assert.Nil(t, live[keyNamed("b")].Object)
	assert.Len(t, live, 3, "of others nothing is kept")
	assert.Len(t, w.lists, 1)
	assert.Zero(t, w.gets)

	// a watch that ends is opened again, after a list of what came meanwhile
	w.put("a", "5")
	stream.Stop()
	require.Eventually(t, clk.HasWaiters, 30*time.Second, time.Millisecond)
	clk.Step(longestGap)
	receive(t, w.watches)
	receive(t, f.Changed())
	assert.Equal(t, "5", f.Live()[keyNamed("a")].Object.GetResourceVersion())
}

// One object alone is watched by its name: everybody else's would come along.
func TestFollowOneObject(t *testing.T) {
	w := &watched{objects: map[string]string{"a": "1"}, watches: make(chan *watch.FakeWatcher, 1)}
	following(t, w, "a")
	receive(t, w.watches)
	require.Len(t, w.lists, 1)
	assert.Equal(t, cluster.ListOptions{Namespace: "x", FieldSelector: "metadata.name=a"}, w.lists[0])
}

func TestFollowWhatCantBeWatched(t *testing.T) {
	w := &watched{objects: map[string]string{"a": "1", "b": "1"}, denied: true}
	f, clk := following(t, w, "a", "b")
	require.Eventually(t, clk.HasWaiters, 30*time.Second, time.Millisecond)
	w.put("a", "2")
	clk.Step(askEvery)
	receive(t, f.Changed())
	assert.Equal(t, "2", f.Live()[keyNamed("a")].Object.GetResourceVersion())
}

func TestFollowedKindThatIsNotServed(t *testing.T) {
	w := &watched{objects: map[string]string{}}
	key := state.Key{Manifest: "m", Group: "example.org", Version: "v1", Kind: "Widget", Namespace: "x", Name: "a"}
	clk := clocktesting.NewFakeClock(time.Unix(0, 0))
	f := Follow(t.Context(), w, clk, []state.Entry{{Key: key}}, map[state.Key]Found{key: {Err: assert.AnError}})
	require.Eventually(t, clk.HasWaiters, 30*time.Second, time.Millisecond)
	clk.Step(askEvery)
	receive(t, f.Changed())
	assert.Error(t, f.Live()[key].Err)
}

func TestScopes(t *testing.T) {
	k := &kind{mapping: cluster.Mapping{Namespaced: true}, namespaces: map[string]bool{}}
	for _, namespace := range []string{"a", "b", "c"} {
		k.add(state.Key{Namespace: namespace, Name: "one"})
	}
	assert.Len(t, k.scopes(), 3)
	k.add(state.Key{Namespace: "d", Name: "one"})
	scopes := k.scopes()
	require.Len(t, scopes, 1)
	assert.Empty(t, scopes[0].namespace)
	assert.Len(t, scopes[0].keys, 4)
}
