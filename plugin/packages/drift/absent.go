package drift

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// Cluster is what is asked of a cluster; *cluster.Client has it.
type Cluster interface {
	Mapping(ctx context.Context, gk schema.GroupKind, version string) (cluster.Mapping, error)
	List(ctx context.Context, m cluster.Mapping, o cluster.ListOptions) ([]*unstructured.Unstructured, error)
}

// Object is one that should be there.
type Object struct {
	Ref object.Ref
	// Version is the API version that it was rendered in.
	Version string
}

const (
	// listTimeout bounds the list of one kind.
	listTimeout = 30 * time.Second
	// listsAtOnce bounds the lists in flight.
	listsAtOnce = 5
	// askedFor is how many objects of a kind are asked for one by one where the
	// narrowed list doesn't show them. Where there are more, one list of all is read.
	askedFor = 10
)

// Absent returns those of the objects that are not in the cluster, in their order. An
// error means that of some kinds it isn't known; what is returned with it is missing for
// sure.
func Absent(ctx context.Context, c Cluster, objects []Object) ([]object.Ref, error) {
	kinds := map[schema.GroupVersionKind][]object.Ref{}
	for _, o := range objects {
		gvk := o.Ref.GroupKind().WithVersion(o.Version)
		kinds[gvk] = append(kinds[gvk], o.Ref)
	}
	var mu sync.Mutex
	var faults []error
	missing := map[object.Ref]bool{}
	var g errgroup.Group
	g.SetLimit(listsAtOnce)
	for gvk, refs := range kinds {
		g.Go(func() error {
			ctx, cancel := context.WithTimeout(ctx, listTimeout)
			defer cancel()
			absent, err := absentOf(ctx, c, gvk, refs)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				faults = append(faults, fmt.Errorf("list kind %s: %w", gvk.Kind, err))
			}
			for _, ref := range absent {
				missing[ref] = true
			}
			return nil
		})
	}
	_ = g.Wait() // the functions collect their errors themselves
	var out []object.Ref
	for _, o := range objects {
		if missing[o.Ref] {
			out = append(out, o.Ref)
			delete(missing, o.Ref)
		}
	}
	return out, errors.Join(faults...)
}

// absentOf answers for one kind. That the cluster doesn't serve it any more means that
// all its objects are gone.
func absentOf(ctx context.Context, c Cluster, gvk schema.GroupVersionKind, refs []object.Ref) ([]object.Ref, error) {
	m, err := c.Mapping(ctx, gvk.GroupKind(), gvk.Version)
	var none *cluster.ErrNoKind
	switch {
	case errors.As(err, &none) && len(none.Served) > 0:
		m, err = c.Mapping(ctx, gvk.GroupKind(), none.Served[0])
	case errors.As(err, &none):
		return refs, nil
	}
	if err != nil {
		return nil, err
	}
	missing, err := lookFor(ctx, c, m, refs, api.LabelInstance)
	switch {
	case err != nil || len(missing) == 0:
		return nil, err
	case len(missing) > askedFor:
		return lookFor(ctx, c, m, missing, "")
	}
	return eachAbsent(ctx, c, m, missing)
}

// lookFor lists what is there, in the one namespace of the objects, else everywhere; a
// user without that right is served by a list for each namespace.
func lookFor(ctx context.Context, c Cluster, m cluster.Mapping, refs []object.Ref, selector string) ([]object.Ref, error) {
	spaces := namespacesOf(refs)
	if len(spaces) > 1 {
		list, err := c.List(ctx, m, cluster.ListOptions{LabelSelector: selector, MetadataOnly: true})
		if err == nil || !apierrors.IsForbidden(err) {
			return without(refs, list), err
		}
	}
	for _, namespace := range spaces {
		list, err := c.List(ctx, m, cluster.ListOptions{Namespace: namespace, LabelSelector: selector, MetadataOnly: true})
		if err != nil {
			return nil, err
		}
		refs = without(refs, list)
	}
	return refs, nil
}

// eachAbsent asks for objects one by one.
func eachAbsent(ctx context.Context, c Cluster, m cluster.Mapping, refs []object.Ref) ([]object.Ref, error) {
	var out []object.Ref
	for _, ref := range refs {
		list, err := c.List(ctx, m, cluster.ListOptions{
			Namespace: ref.Namespace, FieldSelector: "metadata.name=" + ref.Name, MetadataOnly: true,
		})
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			out = append(out, ref)
		}
	}
	return out, nil
}

func namespacesOf(refs []object.Ref) []string {
	var out []string
	for _, ref := range refs {
		if !slices.Contains(out, ref.Namespace) {
			out = append(out, ref.Namespace)
		}
	}
	return out
}

// without leaves out what a list shows.
func without(refs []object.Ref, list []*unstructured.Unstructured) []object.Ref {
	there := make(map[[2]string]bool, len(list))
	for _, u := range list {
		there[[2]string{u.GetNamespace(), u.GetName()}] = true
	}
	return slices.DeleteFunc(slices.Clone(refs), func(ref object.Ref) bool { return there[[2]string{ref.Namespace, ref.Name}] })
}
