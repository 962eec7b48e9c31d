package cluster

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// settler finds out whether a write, whose repetition was refused after an
// attempt without an answer, had been performed. It gives the answer that was
// lost.
type settler = func(ctx context.Context, refusal error) ([]byte, bool)

// settleBody asks the server whether performing the write now would change
// anything: it reads the object and sends the same write as a dry-run without the
// version that was refused. No change means that the object is as wanted.
func (c *Client) settleBody(m Mapping, r *request, body map[string]any) settler {
	if r.dryRun || body == nil {
		return nil
	}
	return func(ctx context.Context, _ error) ([]byte, bool) {
		live, err := c.Get(ctx, m, r.namespace, r.name)
		if err != nil {
			return nil, false
		}
		again, err := c.rehearse(m, r, body, live)
		if err != nil {
			return nil, false
		}
		would, err := c.doObject(ctx, again, nil)
		if err != nil || !sameContent(live, would) {
			return nil, false
		}
		answer, err := json.Marshal(live.Object)
		return answer, err == nil
	}
}

// rehearse is the dry-run of a write on the object as it is now. A create is
// rehearsed as an update.
func (c *Client) rehearse(m Mapping, r *request, body map[string]any, live *unstructured.Unstructured) (*request, error) {
	version := ""
	if r.verb == verbCreate || r.verb == verbUpdate {
		version = live.GetResourceVersion()
	}
	data, err := encodeYAML(withVersion(body, version))
	if err != nil {
		return nil, err
	}
	again := *r
	again.body = data
	again.dryRun = true
	again.query = maps.Clone(r.query)
	again.query.Set("dryRun", "All")
	if r.verb == verbCreate {
		again.verb = verbUpdate
		again.path = resourcePath(m, r.namespace, r.name, "")
	}
	return &again, nil
}

// withVersion is body with another resourceVersion, or none.
func withVersion(body map[string]any, version string) map[string]any {
	body = maps.Clone(body)
	metadata, _ := body["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	if metadata == nil {
		metadata = map[string]any{}
	}
	delete(metadata, "resourceVersion")
	if version != "" {
		metadata["resourceVersion"] = version
	}
	body["metadata"] = metadata
	return body
}

// sameContent compares all but the bookkeeping that any write touches.
func sameContent(a, b *unstructured.Unstructured) bool {
	return reflect.DeepEqual(withoutBookkeeping(a), withoutBookkeeping(b))
}

func withoutBookkeeping(o *unstructured.Unstructured) map[string]any {
	o = o.DeepCopy()
	o.SetManagedFields(nil)
	o.SetResourceVersion("")
	o.SetGeneration(0)
	return o.Object
}
