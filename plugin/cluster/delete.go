package cluster

import (
	"context"
	"encoding/json"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// DeleteOptions of one deletion.
type DeleteOptions struct {
	// UID and ResourceVersion, where set, must be the object's, else the server
	// answers with a conflict.
	UID             types.UID
	ResourceVersion string
	// Propagation is Background, Foreground or Orphan; empty leaves it to the
	// server.
	Propagation metav1.DeletionPropagation
	DryRun      bool
}

// Delete asks for an object to be deleted. Finalizers may keep it for a while
// after that. apierrors.IsNotFound tells that it was not there. After a lost
// connection the object being gone, going or another one (by UID) is success.
func (c *Client) Delete(ctx context.Context, m Mapping, namespace, name string, o DeleteOptions) error {
	_, err := c.Remove(ctx, m, namespace, name, o)
	return err
}

// Remove is Delete that also tells whether the server's answer says that the object of
// o.UID is gone. Without such a word it may be gone or not.
func (c *Client) Remove(ctx context.Context, m Mapping, namespace, name string, o DeleteOptions) (gone bool, err error) {
	r := c.newRequest(verbDelete, m, namespace, name, "")
	if err := validTarget(m, namespace, name); err != nil {
		return false, r.fail(err)
	}
	data, err := encode(o.body())
	if err != nil {
		return false, r.fail(err)
	}
	r.body, r.contentType, r.dryRun = data, mediaJSON, o.DryRun
	if o.DryRun {
		r.query.Set("dryRun", "All")
	}
	answer, err := c.do(ctx, r, c.settleDelete(m, r, o))
	return err == nil && !o.DryRun && saysGone(answer, m, o.UID), err
}

// saysGone reads the answer to a deletion. It is a Status with the uid of what is gone,
// and of some kinds the object as it was; one that is only marked, since finalizers or
// a grace period hold it, has a deletionTimestamp. What extension servers answer with
// an object is their own affair.
func saysGone(answer []byte, m Mapping, uid types.UID) bool {
	var said struct {
		Kind     string
		Status   any // a word, or that of the object
		Details  struct{ UID types.UID }
		Metadata struct {
			UID               types.UID
			DeletionTimestamp string
		}
	}
	if uid == "" || json.Unmarshal(answer, &said) != nil {
		return false
	}
	if said.Kind == "Status" {
		return said.Status == metav1.StatusSuccess && said.Details.UID == uid
	}
	return object.BuiltIn(m.GVK.Group) && said.Kind == m.GVK.Kind && said.Metadata.UID == uid && said.Metadata.DeletionTimestamp == ""
}

// body is the DeleteOptions object of the API.
func (o DeleteOptions) body() map[string]any {
	body := map[string]any{"apiVersion": "v1", "kind": "DeleteOptions"}
	preconditions := map[string]any{}
	if o.UID != "" {
		preconditions["uid"] = string(o.UID)
	}
	if o.ResourceVersion != "" {
		preconditions["resourceVersion"] = o.ResourceVersion
	}
	if len(preconditions) > 0 {
		body["preconditions"] = preconditions
	}
	if o.Propagation != "" {
		body["propagationPolicy"] = string(o.Propagation)
	}
	if o.DryRun {
		body["dryRun"] = []any{metav1.DryRunAll}
	}
	return body
}

// settleDelete finds out whether a deletion whose repetition was refused had been
// performed.
func (c *Client) settleDelete(m Mapping, r *request, o DeleteOptions) settler {
	return func(ctx context.Context, refusal error) ([]byte, bool) {
		if apierrors.IsNotFound(refusal) {
			return nil, !isNotServed(refusal)
		}
		obj, err := c.getMetadata(ctx, m, r.namespace, r.name)
		switch {
		case apierrors.IsNotFound(err):
			return nil, true
		case err != nil:
			return nil, false
		case o.UID != "" && obj.GetUID() != o.UID:
			return nil, true // ours is gone, this one came after it
		}
		return nil, obj.GetDeletionTimestamp() != nil
	}
}
