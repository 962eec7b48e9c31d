package live

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
)

const (
	// tries bounds how often an operation reads and writes again when somebody
	// else wrote in between.
	tries = 5
	// deleteWait is how long Delete waits until the object is gone, deleteGap how
	// often it looks: those of module-sdk.
	deleteWait = 20 * time.Second
	deleteGap  = time.Second
)

// Writer is the part of cluster.Client that operations need.
type Writer interface {
	Get(ctx context.Context, m cluster.Mapping, namespace, name string) (*unstructured.Unstructured, error)
	Create(ctx context.Context, m cluster.Mapping, body map[string]any, o cluster.WriteOptions) (*unstructured.Unstructured, error)
	Update(ctx context.Context, m cluster.Mapping, body map[string]any, o cluster.WriteOptions) (*unstructured.Unstructured, error)
	Patch(ctx context.Context, m cluster.Mapping, namespace, name string, kind types.PatchType, data []byte, o cluster.WriteOptions) (*unstructured.Unstructured, error)
	Delete(ctx context.Context, m cluster.Mapping, namespace, name string, o cluster.DeleteOptions) error
}

// Sink does operations of hooks on objects of a cluster. It may be used by several
// goroutines.
type Sink struct {
	Client Writer
	Kinds  *Kinds
	// Manager owns the fields that hooks write; the client's own if it is empty.
	Manager string
	// Clock is the real one if nil.
	Clock clock.Clock
}

var _ hook.Sink = (*Sink)(nil)

// Do makes one operation. Errors: output.ErrExists, output.ErrMissing, those of the
// server, and that an object is still there after Delete waited.
func (s *Sink) Do(ctx context.Context, o output.Operation) error {
	m, err := s.Kinds.Find(ctx, o.APIVersion, o.Kind)
	if err != nil {
		return err
	}
	do := task{Sink: s, operation: o, mapping: m, namespace: o.Namespace}
	if !m.Namespaced {
		do.namespace = ""
	}
	switch {
	case o.Deletes():
		return do.remove(ctx)
	case o.Creates():
		return do.create(ctx)
	case o.Verb == output.JQPatchVerb:
		return do.replace(ctx)
	}
	return do.patch(ctx)
}

// task is one operation with the resource that it means.
type task struct {
	*Sink
	operation output.Operation
	mapping   cluster.Mapping
	namespace string
}

func (t task) options() cluster.WriteOptions {
	return cluster.WriteOptions{Manager: t.Manager, Subresource: t.operation.Subresource}
}

// create tries to create first: mostly the object isn't there.
func (t task) create(ctx context.Context) error {
	_, err := t.Client.Create(ctx, t.mapping, t.identified(t.operation.Object), cluster.WriteOptions{Manager: t.Manager})
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	switch t.operation.Verb {
	case output.CreateIfNotExists:
		return nil
	case output.CreateOrUpdate:
		return t.replace(ctx)
	}
	return output.ErrExists
}

// identified is an object with the version and the kind as the server calls them.
func (t task) identified(body map[string]any) map[string]any {
	if body["kind"] == t.mapping.GVK.Kind && body["apiVersion"] == t.mapping.GVK.GroupVersion().String() {
		return body
	}
	body = object.Object{Body: body}.DeepCopy().Body
	body["kind"], body["apiVersion"] = t.mapping.GVK.Kind, t.mapping.GVK.GroupVersion().String()
	return body
}

// replace reads the object and writes what the operation makes of it, again while
// others write in between.
func (t task) replace(ctx context.Context) error {
	for try := 1; ; try++ {
		err := t.replaceOnce(ctx)
		if !apierrors.IsConflict(err) || try == tries {
			return err
		}
	}
}

func (t task) replaceOnce(ctx context.Context) error {
	o := t.operation
	live, err := t.live(ctx)
	if err != nil {
		return err
	}
	if live != nil && o.Object != nil {
		o.Object = t.identified(o.Object)
	}
	next, err := o.Effect(ctx, live)
	switch {
	case err != nil:
		return err
	case next == nil || live != nil && object.Equal(next, live):
		return nil
	case live == nil:
		_, err = t.Client.Create(ctx, t.mapping, t.identified(next), cluster.WriteOptions{Manager: t.Manager})
	default:
		_, err = t.Client.Update(ctx, t.mapping, next, t.options())
	}
	return err
}

// live reads the object; nil if it isn't there.
func (t task) live(ctx context.Context) (map[string]any, error) {
	u, err := t.Client.Get(ctx, t.mapping, t.namespace, t.operation.Name)
	if apierrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // there is no object: that is what Effect takes
	}
	if err != nil {
		return nil, err
	}
	return u.Object, nil
}

// patch sends a patch as the hook wrote it.
func (t task) patch(ctx context.Context) error {
	kind, patch := types.MergePatchType, any(t.operation.MergePatch)
	if t.operation.Verb == output.JSONPatchVerb {
		kind, patch = types.JSONPatchType, t.operation.JSONPatch
	}
	data, err := object.EncodeJSON(patch)
	if err != nil {
		return err
	}
	_, err = t.Client.Patch(ctx, t.mapping, t.namespace, t.operation.Name, kind, data, t.options())
	switch {
	case !apierrors.IsNotFound(err):
		return err
	case t.operation.IgnoreMissing:
		return nil
	}
	return output.ErrMissing
}

func propagation(v output.Verb) metav1.DeletionPropagation {
	switch v {
	case output.DeleteInBackground:
		return metav1.DeletePropagationBackground
	case output.DeleteNonCascading:
		return metav1.DeletePropagationOrphan
	}
	return metav1.DeletePropagationForeground
}

// remove deletes the object that is there now, never one that came after.
func (t task) remove(ctx context.Context) error {
	live, err := t.live(ctx)
	if live == nil || err != nil {
		return err
	}
	uid := (&unstructured.Unstructured{Object: live}).GetUID()
	err = t.Client.Delete(ctx, t.mapping, t.namespace, t.operation.Name,
		cluster.DeleteOptions{UID: uid, Propagation: propagation(t.operation.Verb)})
	switch {
	case apierrors.IsNotFound(err), apierrors.IsConflict(err): // gone, or another one by now
		return nil
	case err != nil || t.operation.Verb != output.Delete:
		return err
	}
	return t.gone(ctx, uid)
}

// gone waits until the object with this uid is no longer there.
func (t task) gone(ctx context.Context, uid types.UID) error {
	clk := t.Clock
	if clk == nil {
		clk = clock.RealClock{}
	}
	for waited := time.Duration(0); ; waited += deleteGap {
		live, err := t.live(ctx)
		if err != nil {
			return err
		}
		u := &unstructured.Unstructured{Object: live}
		if live == nil || u.GetUID() != uid {
			return nil
		}
		if waited >= deleteWait {
			return fmt.Errorf("still there after %s; finalizers: %v", deleteWait, u.GetFinalizers())
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-clk.After(deleteGap):
		}
	}
}
