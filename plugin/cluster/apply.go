package cluster

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// Field validation on the server.
const (
	ValidateStrict = "Strict"
	ValidateWarn   = "Warn"
	ValidateIgnore = "Ignore"
)

// ApplyOptions of one server-side apply.
type ApplyOptions struct {
	// Force takes fields over from other managers instead of a conflict.
	Force bool
	// DryRun answers what the object would be and changes nothing.
	DryRun bool
	// Manager owns the fields; empty means the client's field manager.
	Manager string
	// Validation is Strict, Warn or Ignore; empty leaves it to the server (Warn).
	Validation string
	// Subresource is "status" or "scale"; empty is the object itself.
	Subresource string
}

// Apply sends a server-side apply of the body as it is. It answers the object
// as stored, or as it would be. A body with metadata.resourceVersion is refused
// with a conflict when the object has changed since.
//
// A lost connection is repeated, since applying twice gives the same. When the
// repetition conflicts, which it does after success if the body carries a
// resourceVersion, the object is read: if applying again would change nothing,
// that is success. The same holds for Update and Patch.
func (c *Client) Apply(ctx context.Context, m Mapping, body map[string]any, o ApplyOptions) (*unstructured.Unstructured, error) {
	target := unstructured.Unstructured{Object: body}
	namespace, name := target.GetNamespace(), target.GetName()
	r := c.newRequest(verbApply, m, namespace, name, o.Subresource)
	if err := validTarget(m, namespace, name); err != nil {
		return nil, r.fail(err)
	}
	data, err := encodeYAML(body)
	if err != nil {
		return nil, r.fail(err)
	}
	manager := c.manager(o.Manager)
	if manager == "" {
		return nil, r.fail(errors.New("no field manager was given"))
	}
	c.write(r, m, body, data, WriteOptions{DryRun: o.DryRun, Manager: manager, Validation: o.Validation})
	r.contentType = string(types.ApplyYAMLPatchType)
	if o.Force {
		r.query.Set("force", "true")
	}
	return c.doObject(ctx, r, c.settleBody(m, r, body))
}
