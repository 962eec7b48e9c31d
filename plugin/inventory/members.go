package inventory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// Members are objects of all kinds that were looked for.
type Members struct {
	// Keys name them as entries of a manifest's record, in the order of state list.
	Keys []state.Key
	// Unread says which kinds could not be looked through, and why.
	Unread []string
}

// Search says what to look for.
type Search struct {
	Manifest string
	Kinds    []cluster.Mapping
	// Namespace narrows it, and leaves out what has none; empty is everywhere.
	Namespace string
	Selector  string
	// Belongs tells which of the objects found are meant, by their metadata.
	Belongs func(m cluster.Mapping, u *unstructured.Unstructured) bool
}

// Find lists the metadata of every kind. What a controller made of another object is
// never a member, whatever it carries.
func Find(ctx context.Context, c Client, s Search) (Members, error) {
	var mu sync.Mutex
	var out Members
	seen := map[types.UID]bool{} // some objects are served in two groups
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(concurrency)
	for _, m := range s.Kinds {
		if s.Namespace != "" && !m.Namespaced {
			continue
		}
		g.Go(func() error {
			list, err := c.List(ctx, m, cluster.ListOptions{Namespace: s.Namespace, LabelSelector: s.Selector, MetadataOnly: true})
			if ctx.Err() != nil {
				return ctx.Err()
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil && !apierrors.IsMethodNotSupported(err) && !apierrors.IsNotFound(err) {
				out.Unread = append(out.Unread, fmt.Sprintf("%s: %v", m.GVR.GroupResource(), err))
			}
			for _, u := range list {
				if metav1.GetControllerOf(u) == nil && !seen[u.GetUID()] && s.Belongs(m, u) {
					seen[u.GetUID()] = true
					out.Keys = append(out.Keys, keyOf(s.Manifest, m, u))
				}
			}
			return nil
		})
	}
	err := g.Wait()
	slices.SortFunc(out.Keys, state.CompareKeys)
	slices.SortFunc(out.Unread, cmp.Compare[string])
	return out, err
}

func keyOf(manifest string, m cluster.Mapping, u *unstructured.Unstructured) state.Key {
	return state.Key{
		Manifest: manifest, Group: m.GVK.Group, Version: m.GVK.Version, Kind: m.GVK.Kind,
		Namespace: u.GetNamespace(), Name: u.GetName(),
	}
}

// AppliedBy tells that a manager has an entry for an apply in managedFields, or
// for an update where the kind takes no apply.
func AppliedBy(manager string, m cluster.Mapping, u *unstructured.Unstructured) bool {
	return slices.ContainsFunc(u.GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool {
		return e.Manager == manager && e.Subresource == "" && (e.Operation == metav1.ManagedFieldsOperationApply || m.OnlyPut())
	})
}
