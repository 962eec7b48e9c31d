package cluster

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Get reads one object. apierrors.IsNotFound means that it is not there; a kind
// that is not served is *ErrNoKind instead.
func (c *Client) Get(ctx context.Context, m Mapping, namespace, name string) (*unstructured.Unstructured, error) {
	r := c.newRequest(verbGet, m, namespace, name, "")
	if err := validTarget(m, namespace, name); err != nil {
		return nil, r.fail(err)
	}
	return c.doObject(ctx, r, nil)
}

// getMetadata reads an object without spec and status.
func (c *Client) getMetadata(ctx context.Context, m Mapping, namespace, name string) (*unstructured.Unstructured, error) {
	r := c.newRequest(verbGet, m, namespace, name, "")
	r.accept = mediaMetadata
	return c.doObject(ctx, r, nil)
}
