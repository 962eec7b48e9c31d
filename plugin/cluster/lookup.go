package cluster

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Lookup answers the template function lookup: an object, or with an empty name the
// list of a namespace ("": of all). What is not there, or is no kind of the cluster, is
// an empty map.
func (c *Client) Lookup(ctx context.Context, apiVersion, kind, namespace, name string) (map[string]any, error) {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil, fmt.Errorf("lookup: %w", err)
	}
	m, err := c.Mapping(ctx, gv.WithKind(kind).GroupKind(), gv.Version)
	var none *ErrNoKind
	switch {
	case errors.As(err, &none):
		return map[string]any{}, nil
	case err != nil:
		return nil, fmt.Errorf("lookup of %s: %w", kind, err)
	case name == "":
		return c.lookupList(ctx, m, namespace)
	}
	found, err := c.Get(ctx, m, namespace, name)
	switch {
	case apierrors.IsNotFound(err):
		return map[string]any{}, nil
	case err != nil:
		return nil, fmt.Errorf("lookup: %w", err)
	}
	return found.Object, nil
}

func (c *Client) lookupList(ctx context.Context, m Mapping, namespace string) (map[string]any, error) {
	found, err := c.List(ctx, m, ListOptions{Namespace: namespace})
	if err != nil {
		return nil, fmt.Errorf("lookup: %w", err)
	}
	items := make([]any, len(found))
	for i, o := range found {
		items[i] = o.Object
	}
	return map[string]any{
		"apiVersion": m.GVK.GroupVersion().String(), "kind": m.GVK.Kind + "List", "items": items,
	}, nil
}
