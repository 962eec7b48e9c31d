package charthook

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// store is a cluster of a few objects whose Jobs end by themselves. What a real one
// does is shown by the script type-helm.
type store struct {
	mu      sync.Mutex
	objects map[string]*unstructured.Unstructured
	log     []string
	uids    int
	// end is the condition that Jobs get after a minute; empty for none.
	end     string
	watches []*watch.FakeWatcher
}

func newStore() *store {
	return &store{objects: map[string]*unstructured.Unstructured{}, end: "Complete"}
}

func (s *store) Mapping(_ context.Context, gk schema.GroupKind, version string) (cluster.Mapping, error) {
	return cluster.Mapping{GVK: gk.WithVersion(version), Namespaced: gk.Kind != "ClusterRole"}, nil
}

func key(m cluster.Mapping, namespace, name string) string {
	return fmt.Sprintf("%s %s/%s", m.GVK.Kind, namespace, name)
}

func (s *store) Get(_ context.Context, m cluster.Mapping, namespace, name string) (*unstructured.Unstructured, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.objects[key(m, namespace, name)]; o != nil {
		return o.DeepCopy(), nil
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "x"}, name)
}

func (s *store) Collect(_ context.Context, m cluster.Mapping, o cluster.ListOptions) (cluster.Collection, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := cluster.Collection{ResourceVersion: "1"}
	if found := s.objects[key(m, o.Namespace, strings.TrimPrefix(o.FieldSelector, "metadata.name="))]; found != nil {
		out.Items = append(out.Items, found.DeepCopy())
	}
	return out, nil
}

func (s *store) Watch(context.Context, cluster.Mapping, string, cluster.ListOptions) (watch.Interface, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := watch.NewFakeWithChanSize(10, false)
	s.watches = append(s.watches, w)
	return w, nil
}

func (s *store) Create(_ context.Context, m cluster.Mapping, body map[string]any, _ cluster.WriteOptions) (*unstructured.Unstructured, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := (&unstructured.Unstructured{Object: body}).DeepCopy()
	s.uids++
	u.SetUID(types.UID(fmt.Sprint(s.uids)))
	k := key(m, u.GetNamespace(), u.GetName())
	s.objects[k] = u
	s.log = append(s.log, "create "+k)
	if u.GetKind() == "Job" && s.end != "" {
		time.AfterFunc(time.Minute, func() { s.finish(k) })
	}
	return u.DeepCopy(), nil
}

// finish ends a Job, and tells those who watch.
func (s *store) finish(k string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.objects[k]
	if u == nil {
		return
	}
	u.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": s.end, "status": "True", "message": "because"}}}
	for _, w := range s.watches {
		if !w.IsStopped() {
			w.Modify(u.DeepCopy())
		}
	}
}

func (s *store) Delete(_ context.Context, m cluster.Mapping, namespace, name string, o cluster.DeleteOptions) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := key(m, namespace, name)
	if s.objects[k] == nil || s.objects[k].GetUID() != o.UID {
		return apierrors.NewConflict(schema.GroupResource{Resource: "x"}, name, errors.New("another uid"))
	}
	delete(s.objects, k)
	s.log = append(s.log, "delete "+k)
	return nil
}

func job(name string, events chart.Event, weight int, policies ...chart.DeletePolicy) chart.Hook {
	if len(policies) == 0 {
		policies = []chart.DeletePolicy{chart.BeforeCreation}
	}
	return chart.Hook{
		Events: []chart.Event{events}, Weight: weight, DeletePolicies: policies,
		Object: object.Object{Home: "shop", Body: map[string]any{
			"apiVersion": "batch/v1", "kind": "Job", "metadata": map[string]any{"name": name},
		}},
	}
}

func runner(s *store) Runner {
	return Runner{Cluster: s, Clock: clock.RealClock{}, Manifest: "m", Alive: func() error { return nil }, Timeout: 5 * time.Minute}
}

func TestHooksRunOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		hooks := []chart.Hook{
			job("second", chart.PreInstall, 5), job("first", chart.PreInstall, -1, chart.BeforeCreation, chart.OnSuccess),
			job("other", chart.PostInstall, 0), job("test", chart.TestEvent, 0),
		}
		begin := time.Now()
		var told []string
		r := runner(s)
		r.Tell = func(text string) { told = append(told, text) }
		require.NoError(t, r.Run(t.Context(), "web", hooks, chart.PreInstall))
		assert.Equal(t, []string{"create Job shop/first", "delete Job shop/first", "create Job shop/second"}, s.log)
		assert.Equal(t, 2*time.Minute, time.Since(begin))
		assert.Equal(t, []string{"hook pre-install of release web: Job.batch shop/first is done", "hook pre-install of release web: Job.batch shop/second is done"}, told)
		assert.Equal(t, "m/web", s.objects["Job shop/second"].GetAnnotations()[MarkAnnotation])
	})
}

func TestHookThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.end = "Failed"
		hooks := []chart.Hook{job("a", chart.PreUpgrade, 0, chart.OnFailure), job("b", chart.PreUpgrade, 1)}
		err := runner(s).Run(t.Context(), "web", hooks, chart.PreUpgrade)
		require.ErrorContains(t, err, "hook pre-upgrade of release web: Job a: ")
		require.ErrorContains(t, err, "because")
		assert.Equal(t, []string{"create Job shop/a", "delete Job shop/a"}, s.log, "the next one is not started")
	})
}

func TestHookThatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.end = ""
		err := runner(s).Run(t.Context(), "web", []chart.Hook{job("a", chart.PreInstall, 0)}, chart.PreInstall)
		require.EqualError(t, err, "hook pre-install of release web: Job a: not done within 5m0s")
		assert.Contains(t, s.objects, "Job shop/a", "it stays, to be looked at")
	})
}

func TestWhatIsLeftOfTheLastTime(t *testing.T) {
	left := func(annotations map[string]string) *store {
		s := newStore()
		u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "batch/v1", "kind": "Job"}}
		u.SetUID("old")
		u.SetAnnotations(annotations)
		s.objects["Job shop/a"] = u
		return s
	}
	for name, test := range map[string]struct {
		annotations map[string]string
		policies    []chart.DeletePolicy
		want        string
	}{
		"ours":                    {map[string]string{MarkAnnotation: "m/web"}, nil, ""},
		"Helm's":                  {map[string]string{chart.HookAnnotation: "pre-install"}, nil, ""},
		"of another release":      {map[string]string{MarkAnnotation: "m/other", chart.HookAnnotation: "pre-install"}, nil, "that is no hook: it is not deleted"},
		"somebody's":              {nil, nil, "that is no hook: it is not deleted"},
		"ours, but it is to stay": {map[string]string{MarkAnnotation: "m/web"}, []chart.DeletePolicy{chart.OnSuccess}, "the hook's delete policy doesn't have before-hook-creation"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := left(test.annotations)
				err := runner(s).Run(t.Context(), "web", []chart.Hook{job("a", chart.PreInstall, 0, test.policies...)}, chart.PreInstall)
				if test.want == "" {
					require.NoError(t, err)
					assert.Equal(t, []string{"delete Job shop/a", "create Job shop/a"}, s.log)
					return
				}
				require.ErrorContains(t, err, test.want)
				assert.Empty(t, s.log)
			})
		})
	}
}

func TestNothingIsWrittenWithoutTheLock(t *testing.T) {
	s := newStore()
	r := runner(s)
	r.Alive = func() error { return errors.New("the lock may be lost") }
	err := r.Run(t.Context(), "web", []chart.Hook{job("a", chart.PreInstall, 0)}, chart.PreInstall)
	require.ErrorContains(t, err, "the lock may be lost")
	assert.Empty(t, s.log)
}

func TestHooksOfOtherKinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		config := chart.Hook{
			Events: []chart.Event{chart.PreInstall}, DeletePolicies: []chart.DeletePolicy{chart.BeforeCreation},
			Object: object.Object{Body: map[string]any{
				"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "s"}, "stringData": map[string]any{"a": "hunter22"},
			}},
		}
		role := chart.Hook{
			Events: []chart.Event{chart.PreInstall}, DeletePolicies: []chart.DeletePolicy{chart.BeforeCreation},
			Object: object.Object{Home: "shop", Body: map[string]any{
				"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": map[string]any{"name": "r"},
			}},
		}
		r := runner(s)
		r.Namespace = "run"
		require.NoError(t, r.Run(t.Context(), "web", []chart.Hook{role, config}, chart.PreInstall), "they are done when they are there")
		assert.Equal(t, []string{"create Secret run/s", "create ClusterRole /r"}, s.log, "in Helm's order of kinds")
		assert.NotContains(t, s.objects["Secret run/s"].Object, "stringData")
	})
}

func TestPods(t *testing.T) {
	pod := func(phase string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Pod", "status": map[string]any{"phase": phase, "message": "evicted"},
		}}
	}
	for phase, want := range map[string]bool{"Pending": false, "Running": false, "Succeeded": true} {
		got, err := done(pod(phase))
		require.NoError(t, err)
		assert.Equal(t, want, got, phase)
	}
	_, err := done(pod("Failed"))
	require.EqualError(t, err, "the Pod has failed evicted")
}

func TestSecretsOfHooksAreNotShown(t *testing.T) {
	s := newStore()
	r := runner(s)
	r.Alive = func() error { return errors.New("the server says hunter22") }
	h := chart.Hook{
		Events: []chart.Event{chart.PreInstall}, DeletePolicies: []chart.DeletePolicy{chart.BeforeCreation},
		Object: object.Object{Body: map[string]any{
			"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "s"}, "stringData": map[string]any{"a": "hunter22"},
		}},
	}
	err := r.Run(t.Context(), "web", []chart.Hook{h}, chart.PreInstall)
	require.ErrorContains(t, err, "the server says")
	assert.NotContains(t, err.Error(), "hunter22")
}
