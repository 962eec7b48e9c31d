package apply

import (
	"context"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// counting counts what an executor asks of a real cluster.
type counting struct {
	*cluster.Client
	calls atomic.Int64
}

func (c *counting) Get(ctx context.Context, m cluster.Mapping, namespace, name string) (*unstructured.Unstructured, error) {
	c.calls.Add(1)
	return c.Client.Get(ctx, m, namespace, name)
}

func (c *counting) List(ctx context.Context, m cluster.Mapping, o cluster.ListOptions) ([]*unstructured.Unstructured, error) {
	c.calls.Add(1)
	return c.Client.List(ctx, m, o)
}

func (c *counting) Watch(ctx context.Context, m cluster.Mapping, namespace string, o cluster.ListOptions) (watch.Interface, error) {
	c.calls.Add(1)
	return c.Client.Watch(ctx, m, namespace, o)
}

func (c *counting) Apply(ctx context.Context, m cluster.Mapping, body map[string]any, o cluster.ApplyOptions) (*unstructured.Unstructured, error) {
	c.calls.Add(1)
	return c.Client.Apply(ctx, m, body, o)
}

func (c *counting) Patch(ctx context.Context, m cluster.Mapping, namespace, name string, kind types.PatchType, data []byte, o cluster.WriteOptions) (*unstructured.Unstructured, error) {
	c.calls.Add(1)
	return c.Client.Patch(ctx, m, namespace, name, kind, data, o)
}

func (c *counting) Remove(ctx context.Context, m cluster.Mapping, namespace, name string, o cluster.DeleteOptions) (gone bool, err error) {
	c.calls.Add(1)
	return c.Client.Remove(ctx, m, namespace, name, o)
}
