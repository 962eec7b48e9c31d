package follow

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// source is a server that gives what the test puts in. What a real one does is
// tested in package live.
type source struct {
	mu      sync.Mutex
	items   []*unstructured.Unstructured
	err     error
	watches []*watch.FakeWatcher
}

func (s *source) Collect(context.Context, cluster.Mapping, cluster.ListOptions) (cluster.Collection, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cluster.Collection{Items: slices.Clone(s.items), ResourceVersion: "1"}, s.err
}

func (s *source) Watch(context.Context, cluster.Mapping, string, cluster.ListOptions) (watch.Interface, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := watch.NewFakeWithChanSize(100, false)
	s.watches = append(s.watches, w)
	return w, nil
}

// last waits for the watch that is open.
func (s *source) last(t *testing.T) *watch.FakeWatcher {
	t.Helper()
	var w *watch.FakeWatcher
	require.Eventually(t, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.watches) > 0 {
			w = s.watches[len(s.watches)-1]
		}
		return w != nil && !w.IsStopped()
	}, time.Minute, time.Millisecond)
	return w
}

func configMap(name, value string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"v": value},
		"metadata": map[string]any{"name": name, "namespace": "demo", "resourceVersion": "1"},
	}}
}

func query() Query {
	return Query{Namespace: "demo", Mapping: cluster.Mapping{
		GVR: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"},
		GVK: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, Namespaced: true,
	}}
}

// diary is a Listener that writes down what it hears.
type diary struct {
	mu    sync.Mutex
	lines []string
	block chan struct{} // each Set waits for it
	panik bool          // the next Set panics
}

func (d *diary) write(line string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, line)
}

func (d *diary) Reset(bodies []map[string]any) {
	names := make([]string, len(bodies))
	for i, b := range bodies {
		names[i] = object.RefOf(b).Name
	}
	d.write("reset " + strings.Join(names, ","))
}

func (d *diary) Set(body map[string]any) {
	if d.block != nil {
		<-d.block
	}
	d.mu.Lock()
	panics := d.panik
	d.panik = false
	d.mu.Unlock()
	if panics {
		panic("a filter that fails badly")
	}
	data, _ := body["data"].(map[string]any)
	value, _ := data["v"].(string)
	d.write("set " + object.RefOf(body).Name + "=" + value)
}

func (d *diary) Remove(ref object.Ref) { d.write("remove " + ref.Name) }

func (d *diary) read() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.lines)
}

func (d *diary) waitFor(t *testing.T, lines ...string) {
	t.Helper()
	require.Eventually(t, func() bool { return slices.Equal(lines, d.read()) }, time.Minute, time.Millisecond,
		"wanted %q", lines)
}

func TestOneWatchForAll(t *testing.T) {
	s := &source{items: []*unstructured.Unstructured{configMap("b", "1"), configMap("a", "1")}}
	p := &Pool{Client: s}
	first, second := &diary{}, &diary{}
	one := p.Follow(query(), first)
	require.NoError(t, one.Wait(t.Context()))
	two := p.Follow(query(), second)
	require.NoError(t, two.Wait(t.Context()))
	assert.Equal(t, 1, p.Watches())

	w := s.last(t)
	w.Add(configMap("c", "2"))
	w.Modify(configMap("a", "3"))
	w.Delete(configMap("b", "1"))
	for _, d := range []*diary{first, second} {
		d.waitFor(t, "reset a,b", "set c=2", "set a=3", "remove b")
	}
	one.Stop()
	one.Stop()
	assert.Equal(t, 1, p.Watches(), "the second still follows")
	w.Add(configMap("d", "4"))
	second.waitFor(t, "reset a,b", "set c=2", "set a=3", "remove b", "set d=4")
	assert.Len(t, first.read(), 4)
	two.Stop()
	assert.Zero(t, p.Watches())
}

// TestFieldsThatNobodyReadsAreNotKept, neither of a list nor of a change; who wants whole
// objects has another watch.
func TestFieldsThatNobodyReadsAreNotKept(t *testing.T) {
	s := &source{items: []*unstructured.Unstructured{configMap("a", "1")}}
	p := &Pool{Client: s}
	q := query()
	q.Without = []string{"data.v", "metadata.managedFields", "spec.template"}
	trimmed, whole := &diary{}, &diary{}
	one := p.Follow(q, trimmed)
	defer one.Stop()
	require.NoError(t, one.Wait(t.Context()))
	s.last(t).Add(configMap("b", "2"))
	trimmed.waitFor(t, "reset a", "set b=")
	for _, body := range p.feeds[q.key()].all() {
		assert.Equal(t, map[string]any{}, body["data"])
	}
	two := p.Follow(query(), whole)
	defer two.Stop()
	require.NoError(t, two.Wait(t.Context()))
	assert.Equal(t, 2, p.Watches())
}

// TestComplaint47 : a panic in one callback ended the whole loop, and a watch was
// stopped under another user.
func TestComplaint47(t *testing.T) {
	s := &source{items: []*unstructured.Unstructured{configMap("a", "1")}}
	caught := make(chan any, 1)
	p := &Pool{Client: s, Panicked: func(cause any, _ []byte) { caught <- cause }}
	bad, good := &diary{panik: true}, &diary{}
	badly, well := p.Follow(query(), bad), p.Follow(query(), good)
	defer well.Stop()
	require.NoError(t, badly.Wait(t.Context()))
	require.NoError(t, well.Wait(t.Context()))
	w := s.last(t)
	w.Modify(configMap("a", "2"))
	assert.Equal(t, "a filter that fails badly", <-caught)
	bad.waitFor(t, "reset a", "reset a")
	w.Modify(configMap("a", "3"))
	bad.waitFor(t, "reset a", "reset a", "set a=3")
	good.waitFor(t, "reset a", "set a=2", "set a=3")
	badly.Stop()
	w.Modify(configMap("a", "4"))
	good.waitFor(t, "reset a", "set a=2", "set a=3", "set a=4")
}

func TestSlowListenerHoldsUpNobodyAndHearsLastStates(t *testing.T) {
	s := &source{}
	p := &Pool{Client: s}
	slow, quick := &diary{block: make(chan struct{})}, &diary{}
	a, b := p.Follow(query(), slow), p.Follow(query(), quick)
	defer a.Stop()
	defer b.Stop()
	require.NoError(t, a.Wait(t.Context()))
	require.NoError(t, b.Wait(t.Context()))
	w := s.last(t)
	w.Add(configMap("a", "1"))
	quick.waitFor(t, "reset ", "set a=1")
	for _, v := range []string{"2", "3", "4"} {
		w.Modify(configMap("a", v))
	}
	w.Delete(configMap("gone", "1"))
	require.Eventually(t, func() bool { return slices.Contains(quick.read(), "remove gone") }, time.Minute, time.Millisecond)
	close(slow.block)
	require.Eventually(t, func() bool { return slices.Contains(slow.read(), "remove gone") }, time.Minute, time.Millisecond)
	heard := slow.read()
	assert.Equal(t, "set a=4", heard[len(heard)-2])
	assert.LessOrEqual(t, len(heard), 4)
}

func TestCutWatchIsListedAgain(t *testing.T) {
	s := &source{items: []*unstructured.Unstructured{configMap("a", "1")}}
	p := &Pool{Client: s}
	d := &diary{}
	f := p.Follow(query(), d)
	defer f.Stop()
	require.NoError(t, f.Wait(t.Context()))
	w := s.last(t)
	s.mu.Lock()
	s.items = []*unstructured.Unstructured{configMap("b", "1")}
	s.mu.Unlock()
	w.Error(&unstructured.Unstructured{Object: map[string]any{"kind": "Status", "apiVersion": "v1", "code": int64(410)}})
	d.waitFor(t, "reset a", "reset b")
}

func TestWaitTellsWhyThereIsNothing(t *testing.T) {
	s := &source{err: errors.New("configmaps is forbidden")}
	p := &Pool{Client: s}
	f := p.Follow(query(), &diary{})
	defer f.Stop()
	require.Eventually(t, func() bool { return f.Err() != nil }, time.Minute, time.Millisecond)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorContains(t, f.Wait(ctx), "forbidden")
}

func TestNothingIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	p := &Pool{Client: &source{}}
	for range 50 {
		var all []*Following
		for range 4 {
			all = append(all, p.Follow(query(), &diary{}))
		}
		for _, f := range all {
			f.Stop()
		}
	}
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+2 }, time.Minute, 10*time.Millisecond)
	assert.Zero(t, p.Watches())
}
