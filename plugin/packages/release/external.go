package release

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/nelm"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/readiness"
)

// lookAgain is the time between two looks where there is nothing to watch.
const lookAgain = 5 * time.Second

// gates are the waits for foreign objects.
func (s *Service) gates(id identity, o order) map[string]apply.Gate {
	out := map[string]apply.Gate{}
	for name, e := range o.external {
		out[name] = func(ctx context.Context) error { return s.awaitExternal(ctx, id, e) }
	}
	return out
}

// awaitExternal waits until a foreign object is there and ready, or ctx ends. The error
// says how far it has come.
func (s *Service) awaitExternal(ctx context.Context, id identity, e nelm.External) error {
	last := "not looked at yet"
	for {
		m, err := s.kindOf(ctx, e)
		if err == nil {
			err = s.followExternal(ctx, id, m, e, &last)
			if err == nil {
				return nil
			}
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%w: %s", context.Cause(ctx), last)
		}
		if !errors.Is(err, errNotYet) {
			last = err.Error()
		}
		timer := s.clock().NewTimer(lookAgain)
		select {
		case <-timer.C():
		case <-ctx.Done():
			timer.Stop()
		}
	}
}

// kindOf finds the kind that an annotation means: by its kind, or by any word that the
// cluster has for its resource.
func (s *Service) kindOf(ctx context.Context, e nelm.External) (cluster.Mapping, error) {
	// By its kind alone, where it is one; a miss has discovery read anew.
	if m, err := s.Cluster.Mapping(ctx, schema.GroupKind{Group: e.Group, Kind: e.Kind}, e.Version); err == nil {
		return m, nil
	}
	kinds, _, err := s.Cluster.Kinds(ctx)
	if err != nil {
		return cluster.Mapping{}, err
	}
	for _, m := range kinds {
		called := strings.EqualFold(m.GVK.Kind, e.Kind) || strings.EqualFold(m.GVR.Resource, e.Kind) || slices.Contains(m.Names, strings.ToLower(e.Kind))
		if called && (e.Group == "" || e.Group == m.GVK.Group) && (e.Version == "" || e.Version == m.GVK.Version) {
			return m, nil
		}
	}
	s.Cluster.InvalidateDiscovery()
	return cluster.Mapping{}, fmt.Errorf("the cluster serves no kind %s", e.Kind)
}

// errNotYet says that a watch ended before the object was ready.
var errNotYet = errors.New("not ready yet")

// followExternal looks at the object and watches it until it is ready or the watch ends.
func (s *Service) followExternal(ctx context.Context, id identity, m cluster.Mapping, e nelm.External, last *string) error {
	o := cluster.ListOptions{FieldSelector: "metadata.name=" + e.Name}
	if m.Namespaced {
		if o.Namespace = e.Namespace; o.Namespace == "" {
			o.Namespace = id.namespace
		}
	}
	found, err := s.Cluster.Collect(ctx, m, o)
	if err != nil {
		return err
	}
	*last = "it is not there"
	for _, u := range found.Items {
		if isReady(u, last) {
			return nil
		}
	}
	o.ResourceVersion = found.ResourceVersion
	w, err := s.Cluster.Watch(ctx, m, o.Namespace, o)
	if err != nil {
		return err
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return errNotYet
		case event, open := <-w.ResultChan():
			if !open || event.Type == watch.Error {
				return errNotYet
			}
			u, ok := event.Object.(*unstructured.Unstructured)
			switch {
			case !ok || event.Type == watch.Bookmark:
			case event.Type == watch.Deleted:
				*last = "it is not there"
			case isReady(u, last):
				return nil
			}
		}
	}
}

func isReady(u *unstructured.Unstructured, last *string) bool {
	verdict := readiness.Of(u)
	*last = verdict.Reason
	return verdict.State == readiness.Ready
}
