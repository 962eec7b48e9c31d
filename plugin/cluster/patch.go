package cluster

import (
	"context"
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// Patch sends a JSON, merge or strategic merge patch as it is.
//
// Merge patches and JSON patches that test metadata.resourceVersion are repeated
// after a lost connection. Any other JSON patch might do its work twice and fails
// with *ErrOutcomeUnknown instead. A tested JSON patch whose repetition is refused
// fails with the server's refusal: read the object to see.
func (c *Client) Patch(ctx context.Context, m Mapping, namespace, name string, kind types.PatchType, data []byte, o WriteOptions) (*unstructured.Unstructured, error) {
	v := verbPatch
	if kind == types.JSONPatchType && !testsVersion(data) {
		v = verbPatchOnce
	}
	r := c.newRequest(v, m, namespace, name, o.Subresource)
	if err := validTarget(m, namespace, name); err != nil {
		return nil, r.fail(err)
	}
	body := patchBody(kind, data)
	c.write(r, m, body, data, o)
	r.contentType = string(kind)
	if kind == types.JSONPatchType {
		return c.doObject(ctx, r, nil)
	}
	return c.doObject(ctx, r, c.settleBody(m, r, body))
}

// testsVersion tells whether a JSON patch can succeed only once.
func testsVersion(data []byte) bool {
	var ops []struct {
		Op   string `json:"op"`
		Path string `json:"path"`
	}
	if json.Unmarshal(data, &ops) != nil {
		return false
	}
	for _, op := range ops {
		if op.Op == "test" && op.Path == "/metadata/resourceVersion" {
			return true
		}
	}
	return false
}
