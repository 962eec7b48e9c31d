package probe

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
)

// one is a cluster with one object that others change. What a real API server does
// is shown by the script probes.
type one struct {
	mu       sync.Mutex
	now      *unstructured.Unstructured
	watches  []*watch.FakeWatcher
	asked    cluster.ListOptions
	mapping  error
	collects int
}

func (o *one) Mapping(context.Context, schema.GroupKind, string) (cluster.Mapping, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return cluster.Mapping{Namespaced: true}, o.mapping
}

func (o *one) Collect(_ context.Context, _ cluster.Mapping, options cluster.ListOptions) (cluster.Collection, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked = options
	o.collects++
	if o.now == nil {
		return cluster.Collection{ResourceVersion: "1"}, nil
	}
	return cluster.Collection{Items: []*unstructured.Unstructured{o.now}, ResourceVersion: "1"}, nil
}

func (o *one) Watch(context.Context, cluster.Mapping, string, cluster.ListOptions) (watch.Interface, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	w := watch.NewFakeWithChanSize(100, false)
	o.watches = append(o.watches, w)
	return w, nil
}

// set changes the object; nil deletes it.
func (o *one) set(replicas int64, exists bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before := o.now
	o.now = nil
	if exists {
		o.now = &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"ready": replicas}}}
	}
	for _, w := range o.watches {
		switch {
		case w.IsStopped():
		case o.now != nil:
			w.Modify(o.now)
		case before != nil:
			w.Delete(before)
		}
	}
}

func waitUntil() config.Test {
	return config.Test{
		Type: config.WaitUntil, Successes: 1, Interval: 2 * time.Second, APIVersion: "apps/v1", Kind: "Deployment",
		Namespace: "shop", Name: "web", Condition: "object.status.ready >= 2", File: "tazuna.yaml", Line: 7,
	}
}

func probe(t *testing.T, test config.Test) *Probe {
	t.Helper()
	p, err := Compile(test)
	require.NoError(t, err)
	return p
}

func TestWaitUntil(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &one{}
		time.AfterFunc(time.Second, func() { c.set(1, true) })
		time.AfterFunc(3*time.Second, func() { c.set(2, true) })
		begin := time.Now()
		require.NoError(t, probe(t, waitUntil()).Run(t.Context(), c, clock.RealClock{}))
		assert.Equal(t, 3*time.Second, time.Since(begin), "a change is seen when it happens")
		assert.Equal(t, 1, c.collects, "and nothing is asked again")
		assert.Equal(t, "metadata.name=web", c.asked.FieldSelector)
		assert.Equal(t, "shop", c.asked.Namespace)
	})
}

func TestAnswersInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		test := waitUntil()
		test.Successes = 3
		c := &one{}
		c.set(2, true)
		for i := range 10 { // writes that change nothing for the condition
			time.AfterFunc(time.Duration(i)*100*time.Millisecond, func() { c.set(2, true) })
		}
		time.AfterFunc(3*time.Second, func() { c.set(1, true) })
		time.AfterFunc(3500*time.Millisecond, func() { c.set(2, true) })
		begin := time.Now()
		require.NoError(t, probe(t, test).Run(t.Context(), c, clock.RealClock{}))
		assert.Equal(t, 7500*time.Millisecond, time.Since(begin), "three in a row take two intervals after the last bad one")
	})
}

func TestBadAnswersInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		test := waitUntil()
		test.Failures = 3
		begin := time.Now()
		err := probe(t, test).Run(t.Context(), &one{}, clock.RealClock{})
		require.EqualError(t, err, "tazuna.yaml:7: test is not passed after 3 bad answers in a row: Deployment.apps shop/web meets object.status.ready >= 2: it is not there")
		assert.Equal(t, 4*time.Second, time.Since(begin))
	})
}

func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		test := waitUntil()
		test.Timeout = 5 * time.Second
		c := &one{}
		c.set(1, true)
		err := probe(t, test).Run(t.Context(), c, clock.RealClock{})
		require.EqualError(t, err, "tazuna.yaml:7: test is not passed within 5s: Deployment.apps shop/web meets object.status.ready >= 2: the condition does not hold")
	})
}

func TestExistNonExist(t *testing.T) {
	for name, exists := range map[string]bool{"comes": true, "goes": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				test := waitUntil()
				test.Type, test.Condition, test.ShouldExist = config.ExistNonExist, "", exists
				c := &one{}
				c.set(1, !exists)
				time.AfterFunc(time.Minute, func() { c.set(1, exists) })
				begin := time.Now()
				require.NoError(t, probe(t, test).Run(t.Context(), c, clock.RealClock{}))
				assert.Equal(t, time.Minute, time.Since(begin))
			})
		})
	}
}

func TestWatchesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &one{}
		time.AfterFunc(time.Second, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.watches[0].Stop()
		})
		time.AfterFunc(10*time.Second, func() { c.set(2, true) })
		require.NoError(t, probe(t, waitUntil()).Run(t.Context(), c, clock.RealClock{}))
		assert.Len(t, c.watches, 2, "it was begun anew")
	})
}

func TestKindsThatAreNotThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &one{mapping: &cluster.ErrNoKind{GroupKind: schema.GroupKind{Kind: "Widget"}}}
		test := waitUntil()
		test.Type, test.Condition = config.ExistNonExist, ""
		require.NoError(t, probe(t, test).Run(t.Context(), c, clock.RealClock{}), "of such a kind there is none")

		time.AfterFunc(time.Minute, func() {
			c.mu.Lock()
			c.mapping = nil
			c.mu.Unlock()
			c.set(2, true)
		})
		require.NoError(t, probe(t, waitUntil()).Run(t.Context(), c, clock.RealClock{}), "a kind can come later")
	})
}

func TestWhatCannotBeAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &one{mapping: apierrors.NewForbidden(schema.GroupResource{Resource: "widgets"}, "web", errors.New("no"))}
		err := probe(t, waitUntil()).Run(t.Context(), c, clock.RealClock{})
		require.ErrorContains(t, err, "because it can't be asked")
	})
}

func TestRunEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errors.New("interrupted")) })
		require.EqualError(t, probe(t, waitUntil()).Run(ctx, &one{}, clock.RealClock{}), "interrupted")
	})
}

func TestCompile(t *testing.T) {
	for condition, want := range map[string]string{
		"":                  "tazuna.yaml:7: condition: the expression is empty",
		"object.":           "tazuna.yaml:7: condition: not a CEL expression over object",
		"self.status.ready": "undeclared reference to 'self'",
		"1 + 1":             "wanted an expression that is true or false, found one of type int",
	} {
		test := waitUntil()
		test.Condition = condition
		_, err := Compile(test)
		require.ErrorContains(t, err, want)
	}
	test := waitUntil()
	test.APIVersion = "a/b/c"
	_, err := Compile(test)
	require.ErrorContains(t, err, "tazuna.yaml:7: resource.apiVersion")
}

func TestString(t *testing.T) {
	test := waitUntil()
	test.Type, test.Namespace = config.ExistNonExist, ""
	assert.Equal(t, "Deployment.apps web is gone", probe(t, test).String())
	test.ShouldExist = true
	assert.Equal(t, "Deployment.apps web exists", probe(t, test).String())
}
