package apply

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

func (f *fakeCluster) Create(_ context.Context, m cluster.Mapping, body map[string]any, _ cluster.WriteOptions) (*unstructured.Unstructured, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	sent := (&unstructured.Unstructured{Object: body}).DeepCopy()
	key := keyOf(m, sent.GetNamespace(), sent.GetName())
	f.bodies = append(f.bodies, sent.Object)
	if err := f.called("create " + key); err != nil {
		return nil, err
	}
	if f.objects[key] != nil {
		return nil, apierrors.NewAlreadyExists(m.GVR.GroupResource(), sent.GetName())
	}
	return f.store(key, merged(f.fresh(), sent)).DeepCopy(), nil
}

func (f *fakeCluster) Update(_ context.Context, m cluster.Mapping, body map[string]any, o cluster.WriteOptions) (*unstructured.Unstructured, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	sent := (&unstructured.Unstructured{Object: body}).DeepCopy()
	key := keyOf(m, sent.GetNamespace(), sent.GetName())
	f.bodies = append(f.bodies, sent.Object)
	if err := f.called("update " + o.Subresource + key); err != nil {
		return nil, err
	}
	live := f.objects[key]
	if live == nil {
		return nil, notFound(m, sent.GetName())
	}
	if err := preconditions(m, sent, live); err != nil {
		return nil, err
	}
	return f.store(key, merged(live, sent)).DeepCopy(), nil
}
