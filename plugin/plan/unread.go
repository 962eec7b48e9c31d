package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// unreadable keeps what a read of one kind met to the objects of that kind, where
// the rest can be compared without them; any other error is returned.
func (p Planner) unreadable(ctx context.Context, r *kindRead, err error) error {
	switch {
	case apierrors.IsForbidden(err):
		r.forbidden(err)
	case Unserved(err):
		p.forgetKinds()
		r.unserved(err, p.unservedFor(ctx, r.mapping.GVK))
	default:
		return err
	}
	return nil
}

// forbidden: without the right to read it is not known how the objects are.
func (r *kindRead) forbidden(err error) {
	for _, w := range r.wanted {
		w.out.Op, w.out.Unverified = OpError, unreadReason(err)
		w.out.Err = errors.New(w.out.Unverified)
	}
	for _, l := range r.left {
		l.unread = err
	}
}

func unreadReason(err error) string { return "can't be compared: " + err.Error() }

// unservedFor asks discovery anew about a kind whose path was answered with 404. A
// server that is just starting answers so for any path: only where discovery knows no
// such kind either are there no objects of it.
func (p Planner) unservedFor(ctx context.Context, gvk schema.GroupVersionKind) error {
	if _, err := p.Cluster.Mapping(ctx, gvk.GroupKind(), gvk.Version); err != nil {
		return err
	}
	return fmt.Errorf("the server has %s and does not find its path: it may be starting", gvk.GroupKind())
}

// unserved: the kind was known from an older discovery, its CustomResourceDefinition
// was deleted since, and all its objects with it. of is what discovery says now.
func (r *kindRead) unserved(err, of error) {
	for _, w := range r.wanted {
		if w.local {
			w.notServedYet()
			continue
		}
		w.out.Op, w.out.Err = OpError, fmt.Errorf("%s: %w", w.out.Desired.Origin, err)
	}
	for _, l := range r.left {
		l.mappingKnown, l.unserved = false, of
	}
}

// notServedYet plans an object as on a cluster that never had its kind.
func (w *wanted) notServedYet() {
	w.out.Mapping, w.out.MappingKnown = cluster.Mapping{}, false
	w.out.Notes = append(w.out.Notes, "its CustomResourceDefinition is created by the same run")
}

// forgetKinds makes readers that remember which kinds there are look again.
func (p Planner) forgetKinds() {
	if c, ok := p.Cluster.(interface{ InvalidateDiscovery() }); ok {
		c.InvalidateDiscovery()
	}
}

// Compared is the report without the objects that this user may not read, and
// their number.
func (r *Report) Compared() (rest *Report, unread int) {
	out := *r
	out.Objects = slices.DeleteFunc(slices.Clone(r.Objects), func(o ObjectReport) bool {
		// Users without access to Secrets are ordinary; any other kind that can't be
		// read makes the answer no answer.
		return o.Op == OpError && o.Unverified != "" && o.Kind == "Secret" && o.APIVersion == "v1"
	})
	if unread = len(r.Objects) - len(out.Objects); unread == 0 {
		return r, 0
	}
	out.Summary = summarise(&out)
	return &out, unread
}
