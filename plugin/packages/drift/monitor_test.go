package drift

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// store answers lists of metadata. What a real cluster says is shown by the tests of
// package release.
type store struct {
	mu       sync.Mutex
	there    map[object.Ref]bool
	bare     map[object.Ref]bool // without the label
	broken   string              // a kind that can't be listed
	narrow   bool                // only lists of one namespace are allowed
	lists    []string
	onList   func()
	unserved string
}

func (s *store) Mapping(_ context.Context, gk schema.GroupKind, version string) (cluster.Mapping, error) {
	if gk.Kind == s.unserved {
		return cluster.Mapping{}, &cluster.ErrNoKind{GroupKind: gk}
	}
	return cluster.Mapping{GVK: gk.WithVersion(version), Namespaced: true}, nil
}

func (s *store) List(_ context.Context, m cluster.Mapping, o cluster.ListOptions) ([]*unstructured.Unstructured, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists = append(s.lists, strings.TrimRight(fmt.Sprintf("%s %s %s %s", m.GVK.Kind, o.Namespace, o.LabelSelector, o.FieldSelector), " "))
	switch {
	case !o.MetadataOnly:
		return nil, errors.New("contents were asked for")
	case m.GVK.Kind == s.broken:
		return nil, errors.New("the server is away")
	case s.narrow && o.Namespace == "":
		return nil, apierrors.NewForbidden(schema.GroupResource{}, "", nil)
	}
	if s.onList != nil {
		s.onList()
	}
	var out []*unstructured.Unstructured
	for ref := range s.there {
		named := o.FieldSelector == "" || o.FieldSelector == "metadata.name="+ref.Name
		if ref.Kind == m.GVK.Kind && (o.Namespace == "" || o.Namespace == ref.Namespace) && named && (o.LabelSelector == "" || !s.bare[ref]) {
			u := &unstructured.Unstructured{}
			u.SetNamespace(ref.Namespace)
			u.SetName(ref.Name)
			out = append(out, u)
		}
	}
	return out, nil
}

func obj(kind, namespace, name string) Object {
	return Object{Ref: object.Ref{Kind: kind, Namespace: namespace, Name: name}, Version: "v1"}
}

func storeOf(objects ...Object) *store {
	s := &store{there: map[object.Ref]bool{}, bare: map[object.Ref]bool{}}
	for _, o := range objects {
		s.there[o.Ref] = true
	}
	return s
}

func TestAbsent(t *testing.T) {
	a, b, c := obj("Secret", "x", "a"), obj("Secret", "y", "b"), obj("Service", "x", "c")
	s := storeOf(a, c)
	missing, err := Absent(t.Context(), s, []Object{a, b, c})
	require.NoError(t, err)
	assert.Equal(t, []object.Ref{b.Ref}, missing)
	slices.Sort(s.lists)
	assert.Equal(t, []string{
		"Secret  packages.deckhouse.io/instance", "Secret y  metadata.name=b", "Service x packages.deckhouse.io/instance",
	}, s.lists, "one list for each kind, and a look at what that doesn't show")

	s = storeOf(a, b)
	s.bare[b.Ref] = true
	missing, err = Absent(t.Context(), s, []Object{a, b})
	require.NoError(t, err)
	assert.Empty(t, missing, "its label is missing, and it is there")

	s = storeOf(a)
	s.narrow = true
	missing, err = Absent(t.Context(), s, []Object{a, b})
	require.NoError(t, err)
	assert.Equal(t, []object.Ref{b.Ref}, missing, "a user who may only list by namespace")

	s.unserved = "Service"
	missing, err = Absent(t.Context(), s, []Object{a, c})
	require.NoError(t, err)
	assert.Equal(t, []object.Ref{c.Ref}, missing, "with its kind it is gone")
}

func TestWhatCantBeReadIsNotMissing(t *testing.T) {
	a, b := obj("Secret", "x", "a"), obj("Service", "x", "b")
	s := storeOf()
	s.broken = "Secret"
	missing, err := Absent(t.Context(), s, []Object{a, b})
	assert.EqualError(t, err, "list kind Secret: the server is away")
	assert.Equal(t, []object.Ref{b.Ref}, missing)
}

type found struct {
	mu   sync.Mutex
	list []string
}

func (f *found) missing(name string, refs []object.Ref) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, fmt.Sprint(name, " ", refs))
}

func (f *found) take() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.list
	f.list = nil
	return out
}

func TestRestorationMonitor(t *testing.T) {
	a, b := obj("Secret", "x", "a"), obj("Secret", "x", "b")
	s, f := storeOf(a), &found{}
	m := &Monitor{Cluster: s, Missing: f.missing}
	m.Check(t.Context())
	assert.Empty(t, s.lists, "nothing expected, nothing asked")
	m.Expect("x.one", []Object{a})
	m.Expect("x.two", []Object{b})
	m.Check(t.Context())
	assert.Equal(t, []string{"x.two [Secret x/b]"}, f.take())

	first, second := m.Pause("x.two"), m.Pause("x.two")
	m.Check(t.Context())
	first()
	first()
	m.Check(t.Context())
	assert.Empty(t, f.take(), "it is paused still")
	second()
	m.Check(t.Context())
	assert.Equal(t, []string{"x.two [Secret x/b]"}, f.take())

	m.Forget("x.two")
	m.Check(t.Context())
	assert.Empty(t, f.take())
	resume := m.Pause("x.two")
	m.Forget("x.two")
	m.Expect("x.two", []Object{b})
	m.Check(t.Context())
	assert.Empty(t, f.take(), "the pause has outlived what it was for")
	s.onList = resume
	resume()
	s.onList = func() { m.Pause("x.two") }
	m.Check(t.Context())
	assert.Empty(t, f.take(), "paused while the list was read")
}

func TestFailuresOfTheMonitorAreTold(t *testing.T) {
	s, f := storeOf(), &found{}
	s.broken = "Secret"
	var told error
	m := &Monitor{Cluster: s, Missing: f.missing, Failed: func(err error) { told = err }}
	m.Expect("x.one", []Object{obj("Secret", "x", "a")})
	m.Check(t.Context())
	assert.ErrorContains(t, told, "the server is away")
	assert.Empty(t, f.take())
}

// TestPeriod: four minutes and up to one more, chosen each time; and nothing is left
// running.
func TestPeriod(t *testing.T) {
	assert.Equal(t, 4*time.Minute, Period)
	before := runtime.NumGoroutine()
	clock, f := clocktesting.NewFakeClock(time.Unix(0, 0)), &found{}
	spread := []time.Duration{59 * time.Second, 0}
	m := &Monitor{Cluster: storeOf(), Missing: f.missing, Clock: clock, Random: func(n time.Duration) time.Duration {
		assert.Equal(t, time.Minute, n)
		next := spread[0]
		spread = append(spread[1:], 0)
		return next
	}}
	m.Expect("x.one", []Object{obj("Secret", "x", "a")})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { m.Run(ctx); close(done) }()
	for _, wait := range []time.Duration{4*time.Minute + 59*time.Second, 4 * time.Minute} {
		require.Eventually(t, clock.HasWaiters, 10*time.Second, time.Millisecond)
		clock.Step(wait - time.Second)
		assert.Empty(t, f.take())
		require.True(t, clock.HasWaiters())
		clock.Step(time.Second)
		require.Eventually(t, func() bool { return len(f.take()) == 1 }, 10*time.Second, time.Millisecond)
	}
	cancel()
	<-done
	assert.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+1 }, 10*time.Second, 10*time.Millisecond)
}

// TestOneListForAThousand applications, whatever their number.
func TestOneListForAThousand(t *testing.T) {
	s, f := storeOf(), &found{}
	m := &Monitor{Cluster: s, Missing: f.missing}
	for i := range 1000 {
		ns := fmt.Sprintf("ns-%d", i)
		objects := []Object{obj("Secret", ns, "a"), obj("Service", ns, "b")}
		for _, o := range objects {
			s.there[o.Ref] = true
		}
		m.Expect(ns+".shop", objects)
	}
	m.Check(t.Context())
	assert.Len(t, s.lists, 2)
	assert.Empty(t, f.take())
}

// TestOwnPeriod: another period has a spread of a quarter too.
func TestOwnPeriod(t *testing.T) {
	clock, f := clocktesting.NewFakeClock(time.Unix(0, 0)), &found{}
	m := &Monitor{Cluster: storeOf(), Missing: f.missing, Clock: clock, Every: 8 * time.Second, Random: func(n time.Duration) time.Duration { return n - 1 }}
	m.Expect("x.one", []Object{obj("Secret", "x", "a")})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { m.Run(ctx); close(done) }()
	require.Eventually(t, clock.HasWaiters, 10*time.Second, time.Millisecond)
	clock.Step(10*time.Second - 2)
	assert.True(t, clock.HasWaiters())
	clock.Step(1)
	require.Eventually(t, func() bool { return len(f.take()) == 1 }, 10*time.Second, time.Millisecond)
	cancel()
	<-done
}
