package charthook

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Cluster is what hooks ask of a cluster; *cluster.Client has it.
type Cluster interface {
	Mapping(ctx context.Context, gk schema.GroupKind, version string) (cluster.Mapping, error)
	Get(ctx context.Context, m cluster.Mapping, namespace, name string) (*unstructured.Unstructured, error)
	Collect(ctx context.Context, m cluster.Mapping, o cluster.ListOptions) (cluster.Collection, error)
	Watch(ctx context.Context, m cluster.Mapping, namespace string, o cluster.ListOptions) (watch.Interface, error)
	Create(ctx context.Context, m cluster.Mapping, body map[string]any, o cluster.WriteOptions) (*unstructured.Unstructured, error)
	Delete(ctx context.Context, m cluster.Mapping, namespace, name string, o cluster.DeleteOptions) error
}

// MarkAnnotation is on every object that a Runner made: the manifest and release
// that it is a hook of, as MANIFEST/RELEASE.
const MarkAnnotation = "tazuna.pepabo.com/hook-of"

// Runner runs hooks of one manifest.
type Runner struct {
	Cluster  Cluster
	Clock    clock.WithTicker
	Manifest string
	// Namespace is for hooks without one; Validation and FieldManager are for
	// their writes.
	Namespace, Validation, FieldManager string
	// Timeout bounds the wait for each hook; 0 is Helm's five minutes.
	Timeout time.Duration
	// Alive returns an error when nothing may be written any more.
	Alive func() error
	// Tell reports what happens; may be nil.
	Tell func(text string)
}

// defaultTimeout is Helm's.
const defaultTimeout = 5 * time.Minute

// Run runs the hooks of a release at an event. The error names the hook.
func (r Runner) Run(ctx context.Context, release string, hooks []chart.Hook, event chart.Event) error {
	for _, h := range (&chart.Result{Hooks: hooks}).HooksAt(event) {
		one := &hook{Runner: r, Hook: h, mark: r.Manifest + "/" + release}
		if err := one.run(ctx); err != nil {
			return fmt.Errorf("hook %s of release %s: %s %s: %w", event, release, h.Object.GVK().Kind, h.Object.Name(), clean(err, h))
		}
		ref := h.Object.Ref()
		ref.Namespace = one.namespace
		r.tell(fmt.Sprintf("hook %s of release %s: %s is done", event, release, ref))
	}
	return nil
}

func (r Runner) tell(text string) {
	if r.Tell != nil {
		r.Tell(text)
	}
}

// clean takes the values of a hook that is a Secret out of what the server says.
func clean(err error, h chart.Hook) error {
	if text := object.Scrub(err.Error(), h.Object.Body); text != err.Error() {
		return errors.New(text)
	}
	return err
}

// hook is one hook on its way.
type hook struct {
	Runner
	chart.Hook
	mark      string
	mapping   cluster.Mapping
	namespace string
}

func (h *hook) run(ctx context.Context) error {
	timeout := h.Timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	gvk := h.Object.GVK()
	var err error
	if h.mapping, err = h.Cluster.Mapping(ctx, gvk.GroupKind(), gvk.Version); err != nil {
		return err
	}
	h.place()
	if err := h.clear(ctx, timeout); err != nil {
		return err
	}
	if err := h.Alive(); err != nil {
		return err
	}
	made, err := h.Cluster.Create(ctx, h.mapping, h.body(), cluster.WriteOptions{Manager: h.FieldManager, Validation: h.Validation})
	if err != nil {
		return err
	}
	err = h.await(ctx, timeout, func(u *unstructured.Unstructured) (bool, error) {
		if u == nil || u.GetUID() != made.GetUID() {
			return false, errors.New("it was deleted by somebody else before it was done")
		}
		return done(u)
	})
	return errors.Join(err, h.discard(ctx, made.GetUID(), err != nil))
}

// place decides the namespace.
func (h *hook) place() {
	if !h.mapping.Namespaced {
		return
	}
	for _, namespace := range []string{h.Object.Namespace(), h.Object.Home, h.Namespace, "default"} {
		if namespace != "" {
			h.namespace = namespace
			return
		}
	}
}

// body is what is sent: the chart's object with its namespace and our mark.
func (h *hook) body() map[string]any {
	body := object.StripServerFields(object.FoldStringData(h.Object.DeepCopy().Body))
	u := &unstructured.Unstructured{Object: body}
	u.SetNamespace(h.namespace)
	annotations := u.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[MarkAnnotation] = h.mark
	u.SetAnnotations(annotations)
	return u.Object
}

// clear deletes what is left of the last time.
func (h *hook) clear(ctx context.Context, timeout time.Duration) error {
	old, err := h.Cluster.Get(ctx, h.mapping, h.namespace, h.Object.Name())
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return err
	case !h.Deletes(chart.BeforeCreation):
		return fmt.Errorf("an object of this name is there, and the hook's delete policy doesn't have %s", chart.BeforeCreation)
	case !h.isHook(old):
		return errors.New("an object of this name is there that is no hook: it is not deleted")
	}
	if err := h.delete(ctx, old.GetUID()); err != nil {
		return err
	}
	return h.await(ctx, timeout, func(u *unstructured.Unstructured) (bool, error) {
		return u == nil || u.GetUID() != old.GetUID(), nil
	})
}

// isHook recognises our own hooks and those that Helm made.
func (h *hook) isHook(u *unstructured.Unstructured) bool {
	a := u.GetAnnotations()
	return a[MarkAnnotation] == h.mark || a[MarkAnnotation] == "" && a[chart.HookAnnotation] != ""
}

func (h *hook) delete(ctx context.Context, uid types.UID) error {
	if err := h.Alive(); err != nil {
		return err
	}
	err := h.Cluster.Delete(ctx, h.mapping, h.namespace, h.Object.Name(), cluster.DeleteOptions{
		UID: uid, Propagation: metav1.DeletePropagationBackground,
	})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// discard deletes the object as its policy says.
func (h *hook) discard(ctx context.Context, uid types.UID, failed bool) error {
	policy := chart.OnSuccess
	if failed {
		policy = chart.OnFailure
	}
	if !h.Deletes(policy) || ctx.Err() != nil {
		return nil
	}
	if err := h.delete(ctx, uid); err != nil {
		return fmt.Errorf("delete it afterwards: %w", err)
	}
	return nil
}
