package cluster

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// WriteOptions of a create, update or patch.
type WriteOptions struct {
	// DryRun answers what the object would be and changes nothing.
	DryRun bool
	// Manager owns the fields; empty means the client's field manager.
	Manager string
	// Validation is Strict, Warn or Ignore; empty leaves it to the server (Warn).
	Validation string
	// Subresource is "status" or "scale"; empty is the object itself.
	Subresource string
}

// Create makes an object that is not there yet; apierrors.IsAlreadyExists tells
// that it is. If a connection was lost on the way and the object then exists
// exactly as wanted, that is success.
func (c *Client) Create(ctx context.Context, m Mapping, body map[string]any, o WriteOptions) (*unstructured.Unstructured, error) {
	return c.writeBody(ctx, verbCreate, m, body, o)
}

// Update replaces an object. With metadata.resourceVersion in the body it is
// refused with a conflict when the object has changed since.
func (c *Client) Update(ctx context.Context, m Mapping, body map[string]any, o WriteOptions) (*unstructured.Unstructured, error) {
	return c.writeBody(ctx, verbUpdate, m, body, o)
}

func (c *Client) writeBody(ctx context.Context, v verb, m Mapping, body map[string]any, o WriteOptions) (*unstructured.Unstructured, error) {
	target := unstructured.Unstructured{Object: body}
	namespace, name := target.GetNamespace(), target.GetName()
	r := c.newRequest(v, m, namespace, name, o.Subresource)
	if err := validTarget(m, namespace, name); err != nil {
		return nil, r.fail(err)
	}
	if v == verbCreate {
		r.path = resourcePath(m, r.namespace, "", "")
	}
	data, err := encode(body)
	if err != nil {
		return nil, r.fail(err)
	}
	c.write(r, m, body, data, o)
	r.contentType = mediaJSON
	return c.doObject(ctx, r, c.settleBody(m, r, body))
}

// write puts on a request what all writes share.
func (c *Client) write(r *request, m Mapping, body map[string]any, data []byte, o WriteOptions) {
	r.body = data
	r.dryRun = o.DryRun
	r.scrub = c.scrubFor(m, body)
	if manager := c.manager(o.Manager); manager != "" {
		r.query.Set("fieldManager", manager)
	}
	if o.DryRun {
		r.query.Set("dryRun", "All")
	}
	if o.Validation != "" {
		r.query.Set("fieldValidation", o.Validation)
	}
}
