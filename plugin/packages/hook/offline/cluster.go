package offline

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/snapshot"
)

// Cluster holds objects in memory. It may be used by several goroutines.
type Cluster struct {
	set *hook.Set

	mu       sync.Mutex
	objects  map[object.Ref]map[string]any
	recorded map[string]map[string]snapshot.Snapshot // hook → binding; nil if nothing is
	steps    []Step
}

var (
	_ hook.Source = (*Cluster)(nil)
	_ hook.Sink   = (*Cluster)(nil)
)

// Step is one operation that was done.
type Step struct {
	Operation output.Operation
	// Before and After are the object before and after it; nil where it was not
	// there. They are the same map if nothing changed.
	Before, After map[string]any
}

// New makes a cluster with these objects, for the hooks of a set.
func New(set *hook.Set, objects []map[string]any) *Cluster {
	c := &Cluster{set: set, objects: map[object.Ref]map[string]any{}}
	for _, body := range objects {
		c.objects[object.RefOf(body)] = body
	}
	return c
}

// Snapshot gives the recorded snapshot of a binding, or what the binding sees of
// the objects.
func (c *Cluster) Snapshot(ctx context.Context, id, name string) (snapshot.Snapshot, error) {
	k, err := c.binding(id, name)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.recorded != nil {
		taken, ok := c.recorded[id][name]
		if !ok {
			return nil, fmt.Errorf("binding %q of hook %s: the recording has no snapshot of it", name, id)
		}
		return taken, nil
	}
	return snapshot.Take(ctx, k, c.seen(k))
}

func (c *Cluster) binding(id, name string) (*binding.Kubernetes, error) {
	h := c.set.Find(id)
	for _, ready := range c.set.Ready {
		if ready.ID == id {
			h = ready
		}
	}
	if h == nil {
		return nil, fmt.Errorf("there is no hook %q", id)
	}
	k := h.Config.FindKubernetes(name)
	if k == nil {
		return nil, fmt.Errorf("hook %s has no kubernetes binding %q", id, name)
	}
	return k, nil
}

// seen lists the objects of the kind of a binding, in a fixed order.
func (c *Cluster) seen(k *binding.Kubernetes) []map[string]any {
	var bodies []map[string]any
	for _, ref := range c.refs() {
		body := c.objects[ref]
		if isKind(body, k.APIVersion, k.Kind) && c.inChosenNamespace(k, ref.Namespace) {
			bodies = append(bodies, body)
		}
	}
	return bodies
}

func (c *Cluster) refs() []object.Ref {
	refs := make([]object.Ref, 0, len(c.objects))
	for ref := range c.objects {
		refs = append(refs, ref)
	}
	slices.SortFunc(refs, object.CompareRefs)
	return refs
}

// inChosenNamespace looks at the labels of a namespace, where a binding chooses by
// them.
func (c *Cluster) inChosenNamespace(k *binding.Kubernetes, namespace string) bool {
	if k.NamespaceLabels == nil || slices.Contains(k.Namespaces, namespace) {
		return true
	}
	body, ok := c.objects[object.Ref{Kind: "Namespace", Name: namespace}]
	if !ok {
		return false
	}
	metadata, _ := body["metadata"].(map[string]any)
	all, _ := metadata["labels"].(map[string]any)
	set := labels.Set{}
	for key, value := range all {
		set[key], _ = value.(string)
	}
	return k.NamespaceLabels.Matches(set)
}

// Do does an operation to the objects.
func (c *Cluster) Do(ctx context.Context, o output.Operation) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	ref, live := c.find(o)
	next, err := o.Effect(ctx, live)
	if err != nil {
		return err
	}
	if next == nil {
		delete(c.objects, ref)
	} else {
		c.objects[object.RefOf(next)] = next
	}
	c.steps = append(c.steps, Step{Operation: o, Before: live, After: next})
	return nil
}

// find finds the object of an operation, whatever way its kind is written.
func (c *Cluster) find(o output.Operation) (object.Ref, map[string]any) {
	for _, ref := range c.refs() {
		body := c.objects[ref]
		if ref.Name == o.Name && ref.Namespace == o.Namespace && isGroupKind(body, o.APIVersion, o.Kind) {
			return ref, body
		}
	}
	return object.Ref{}, nil
}

// Steps lists what was done, in order.
func (c *Cluster) Steps() []Step {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.steps)
}

// Objects lists the objects as they are now, by kind, namespace and name.
func (c *Cluster) Objects() []map[string]any {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]map[string]any, 0, len(c.objects))
	for _, ref := range c.refs() {
		all = append(all, c.objects[ref])
	}
	return all
}
