package state

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// fakeCluster is the part of an API server that this package's flow rests on:
// names, namespaces, UIDs, resourceVersions and preconditions. What a server
// decides beyond that is tested against a real one, in integration_test.go.
type fakeCluster struct {
	t *testing.T

	mu      sync.Mutex
	objects map[string]*unstructured.Unstructured
	version int
	// log holds "verb kind name" of every request, refused ones included.
	log []string
	// before may refuse a request; after may lose the answer of one that was
	// performed.
	before, after func(verb, kind, name string) error
	// now stamps managedFields.
	now func() time.Time
}

func newFakeCluster(t *testing.T) *fakeCluster {
	t.Helper()
	return &fakeCluster{t: t, objects: map[string]*unstructured.Unstructured{}, now: func() time.Time { return time.Unix(0, 0) }}
}

// withNamespace has our namespace already.
func (f *fakeCluster) withNamespace() *fakeCluster {
	f.put(map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": Namespace}})
	return f
}

// put stores an object as somebody else would.
func (f *fakeCluster) put(body map[string]any) *unstructured.Unstructured {
	f.mu.Lock()
	defer f.mu.Unlock()
	u := f.copy(body)
	f.store(u, "somebody")
	return f.copy(u.Object)
}

// get reads an object without a request; nil if it is not there.
func (f *fakeCluster) get(kind, name string) *unstructured.Unstructured {
	f.mu.Lock()
	defer f.mu.Unlock()
	u, ok := f.objects[kind+" "+name]
	if !ok {
		return nil
	}
	return f.copy(u.Object)
}

// remove deletes an object as somebody else would.
func (f *fakeCluster) remove(kind, name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.objects, kind+" "+name)
}

// names lists what is stored of a kind.
func (f *fakeCluster) names(kind string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var names []string
	for key := range f.objects {
		if name, ok := strings.CutPrefix(key, kind+" "); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// requests returns the log since the last call.
func (f *fakeCluster) requests() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	log := f.log
	f.log = nil
	return log
}

func writes(log []string) []string {
	return slices.DeleteFunc(slices.Clone(log), func(r string) bool {
		return strings.HasPrefix(r, "get ") || strings.HasPrefix(r, "list ")
	})
}

// data returns the data of a ConfigMap.
func (f *fakeCluster) data(name string) map[string]string {
	f.t.Helper()
	u := f.get("ConfigMap", name)
	require.NotNil(f.t, u, "ConfigMap %s", name)
	data, _, err := unstructured.NestedStringMap(u.Object, "data")
	require.NoError(f.t, err)
	return data
}

func (f *fakeCluster) Get(_ context.Context, m cluster.Mapping, namespace, name string) (*unstructured.Unstructured, error) {
	return f.perform("get", m, name, func() (*unstructured.Unstructured, error) {
		if u, ok := f.objects[m.GVK.Kind+" "+name]; ok {
			return u, nil
		}
		return nil, apierrors.NewNotFound(resource(m), name)
	})
}

func (f *fakeCluster) List(_ context.Context, m cluster.Mapping, o cluster.ListOptions) ([]*unstructured.Unstructured, error) {
	require.Equal(f.t, Namespace, o.Namespace)
	var all []*unstructured.Unstructured
	_, err := f.perform("list", m, "", func() (*unstructured.Unstructured, error) {
		for key, u := range f.objects {
			if strings.HasPrefix(key, m.GVK.Kind+" ") {
				all = append(all, f.copy(u.Object))
			}
		}
		return &unstructured.Unstructured{Object: map[string]any{}}, nil
	})
	return all, err
}

func (f *fakeCluster) Create(_ context.Context, m cluster.Mapping, body map[string]any, o cluster.WriteOptions) (*unstructured.Unstructured, error) {
	u := f.copy(body)
	return f.perform("create", m, u.GetName(), func() (*unstructured.Unstructured, error) {
		require.Empty(f.t, u.GetResourceVersion())
		if _, ok := f.objects["Namespace "+Namespace]; !ok && m.Namespaced {
			return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, Namespace)
		}
		if _, ok := f.objects[m.GVK.Kind+" "+u.GetName()]; ok {
			return nil, apierrors.NewAlreadyExists(resource(m), u.GetName())
		}
		return f.store(u, o.Manager), nil
	})
}

func (f *fakeCluster) Update(_ context.Context, m cluster.Mapping, body map[string]any, o cluster.WriteOptions) (*unstructured.Unstructured, error) {
	u := f.copy(body)
	return f.perform("update", m, u.GetName(), func() (*unstructured.Unstructured, error) {
		live, ok := f.objects[m.GVK.Kind+" "+u.GetName()]
		if !ok {
			return nil, apierrors.NewNotFound(resource(m), u.GetName())
		}
		require.NotEmpty(f.t, u.GetResourceVersion(), "an update without a resourceVersion")
		if u.GetResourceVersion() != live.GetResourceVersion() || u.GetUID() != live.GetUID() {
			return nil, apierrors.NewConflict(resource(m), u.GetName(), fmt.Errorf("changed"))
		}
		return f.store(u, o.Manager), nil
	})
}

func (f *fakeCluster) Delete(_ context.Context, m cluster.Mapping, namespace, name string, o cluster.DeleteOptions) error {
	_, err := f.perform("delete", m, name, func() (*unstructured.Unstructured, error) {
		live, ok := f.objects[m.GVK.Kind+" "+name]
		if !ok {
			return nil, apierrors.NewNotFound(resource(m), name)
		}
		if o.UID != "" && o.UID != live.GetUID() || o.ResourceVersion != "" && o.ResourceVersion != live.GetResourceVersion() {
			return nil, apierrors.NewConflict(resource(m), name, fmt.Errorf("precondition"))
		}
		delete(f.objects, m.GVK.Kind+" "+name)
		return live, nil
	})
	return err
}

// perform logs a request and runs it between the hooks.
func (f *fakeCluster) perform(verb string, m cluster.Mapping, name string,
	do func() (*unstructured.Unstructured, error),
) (*unstructured.Unstructured, error) {
	f.mu.Lock()
	f.log = append(f.log, strings.TrimSpace(verb+" "+m.GVK.Kind+" "+name))
	f.mu.Unlock()
	if f.before != nil {
		if err := f.before(verb, m.GVK.Kind, name); err != nil {
			return nil, err
		}
	}
	f.mu.Lock()
	u, err := do()
	if err == nil {
		u = f.copy(u.Object)
	}
	f.mu.Unlock()
	if err == nil && f.after != nil {
		err = f.after(verb, m.GVK.Kind, name)
	}
	if err != nil {
		return nil, err
	}
	return u, nil
}

// store gives an object the next version and who wrote it.
func (f *fakeCluster) store(u *unstructured.Unstructured, manager string) *unstructured.Unstructured {
	f.version++
	u.SetResourceVersion(strconv.Itoa(f.version))
	key := u.GetKind() + " " + u.GetName()
	if live, ok := f.objects[key]; ok {
		u.SetUID(live.GetUID())
	} else {
		u.SetUID(types.UID("uid-" + strconv.Itoa(f.version)))
	}
	at := metav1.NewTime(f.now())
	u.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, Time: &at}})
	f.objects[key] = u
	return u
}

// copy goes through JSON, as a request does.
func (f *fakeCluster) copy(body map[string]any) *unstructured.Unstructured {
	f.t.Helper()
	text, err := json.Marshal(body)
	require.NoError(f.t, err)
	var out map[string]any
	require.NoError(f.t, utiljson.Unmarshal(text, &out))
	return &unstructured.Unstructured{Object: out}
}

func resource(m cluster.Mapping) schema.GroupResource { return m.GVR.GroupResource() }
