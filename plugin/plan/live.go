package plan

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// liveSet is what the cluster has of the objects that matter.
type liveSet map[object.Ref]*unstructured.Unstructured

// fieldConcurrency is used where Planner.Concurrency is 0.
const defaultConcurrency = 16

// each runs work for 0..n-1 with bounded concurrency; the first error ends it.
func (p Planner) each(ctx context.Context, n int, work func(i int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	limit := p.Concurrency
	if limit <= 0 {
		limit = defaultConcurrency
	}
	g.SetLimit(limit)
	for i := range n {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return work(i)
		})
	}
	return g.Wait()
}

// kindRead is everything that one LIST should answer for.
type kindRead struct {
	mapping    cluster.Mapping
	refs       map[object.Ref]bool
	namespaces map[string]bool
	wanted     []*wanted
	// left are the entries of this kind that no file names: their bodies are needed.
	left []*recordedOnly
	// labels are the ApplySet labels of the records that list the objects of this
	// kind; nil once one of them is in no record yet.
	labels map[string]bool
	fresh  bool
}

// readLive asks for every kind once.
func (p Planner) readLive(ctx context.Context, it items) (liveSet, error) {
	reads := groupByKind(it)
	found := liveSet{}
	var mu sync.Mutex
	err := p.each(ctx, len(reads), func(i int) error {
		list, err := p.readKind(ctx, reads[i])
		if err != nil {
			return p.unreadable(ctx, reads[i], err)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, u := range list {
			if ref := reads[i].refOf(u); reads[i].refs[ref] {
				found[ref] = u
			}
		}
		return nil
	})
	return found, err
}

func groupByKind(it items) []*kindRead {
	byKind := map[schema.GroupVersionResource]*kindRead{}
	var order []*kindRead
	add := func(m cluster.Mapping, ref object.Ref) *kindRead {
		r := byKind[m.GVR]
		if r == nil {
			r = &kindRead{mapping: m, refs: map[object.Ref]bool{}, namespaces: map[string]bool{}}
			byKind[m.GVR], order = r, append(order, r)
		}
		r.refs[ref], r.namespaces[ref.Namespace] = true, true
		return r
	}
	for _, w := range it.wanted {
		if w.out.MappingKnown {
			r := add(w.out.Mapping, w.out.Ref)
			r.wanted = append(r.wanted, w)
			r.note(w.label, w.recorded && w.entry.ContentHash != "")
			if w.shown != (object.Ref{}) {
				r.refs[w.shown] = true
			}
		}
	}
	for _, l := range it.left {
		if l.mappingKnown {
			r := add(l.mapping, l.ref)
			r.left = append(r.left, l)
			r.note(l.label, l.entry.ContentHash != "")
		}
	}
	return order
}

// note remembers by which label an object of the kind should be found.
func (r *kindRead) note(label string, recorded bool) {
	if label == "" || !recorded {
		r.fresh = true
		return
	}
	if r.labels == nil {
		r.labels = map[string]bool{}
	}
	r.labels[label] = true
}

// selector narrows a LIST to the members of our ApplySets. It never decides:
// what it doesn't return is looked up. Empty where objects are listed that no
// record has yet, which have no label.
func (r *kindRead) selector() string {
	if r.fresh || len(r.labels) == 0 {
		return ""
	}
	return fmt.Sprintf("%s in (%s)", state.PartOfLabel, strings.Join(sortedKeys(r.labels), ","))
}

// readKind answers for one kind: from metadata where that proves every object
// to be as wanted, else from one full list.
func (p Planner) readKind(ctx context.Context, r *kindRead) ([]*unstructured.Unstructured, error) {
	if !p.allProvable(r) {
		return p.listKind(ctx, r, false)
	}
	list, err := p.listKind(ctx, r, true)
	if err != nil || p.proveAll(r, list) {
		return list, err
	}
	return p.listKind(ctx, r, false)
}

func (p Planner) allProvable(r *kindRead) bool {
	for _, w := range r.wanted {
		if !p.provable(w) {
			return false
		}
	}
	return len(r.left) == 0 && len(r.wanted) > 0
}

// proveAll marks the objects of a kind as proven, or none of them.
func (p Planner) proveAll(r *kindRead, list []*unstructured.Unstructured) bool {
	found := make(map[object.Ref]*unstructured.Unstructured, len(list))
	for _, u := range list {
		found[r.refOf(u)] = u
	}
	for _, w := range r.wanted {
		if !p.proven(w, found[w.out.Ref]) {
			return false
		}
	}
	for _, w := range r.wanted {
		w.proven = true
	}
	return true
}

func (r *kindRead) refOf(u *unstructured.Unstructured) object.Ref {
	return object.Ref{Group: r.mapping.GVK.Group, Kind: r.mapping.GVK.Kind, Namespace: u.GetNamespace(), Name: u.GetName()}
}

// listKind lists one kind: in its one namespace, else everywhere; users without
// that right are served by a list per namespace, then by single gets.
func (p Planner) listKind(ctx context.Context, r *kindRead, metadataOnly bool) ([]*unstructured.Unstructured, error) {
	o := cluster.ListOptions{MetadataOnly: metadataOnly, LabelSelector: r.selector()}
	list, err := p.listWith(ctx, r, o)
	if err != nil || o.LabelSelector == "" {
		return list, err
	}
	missing := r.missing(list)
	if len(missing) > maxLookUps {
		o.LabelSelector = "" // somebody took the labels off: one list costs less
		return p.listWith(ctx, r, o)
	}
	for _, ref := range missing {
		u, err := p.getOne(ctx, r.mapping, ref)
		if err != nil {
			return nil, wrapList(r, err)
		}
		if u != nil {
			list = append(list, u)
		}
	}
	return list, nil
}

// maxLookUps is how many objects that a narrowed list didn't return are asked
// for one by one.
const maxLookUps = 3

// missing are the objects that a list didn't return.
func (r *kindRead) missing(list []*unstructured.Unstructured) []object.Ref {
	found := make(map[object.Ref]bool, len(list))
	for _, u := range list {
		found[r.refOf(u)] = true
	}
	var out []object.Ref
	for ref := range r.refs {
		if !found[ref] {
			out = append(out, ref)
		}
	}
	return out
}

func (p Planner) listWith(ctx context.Context, r *kindRead, o cluster.ListOptions) ([]*unstructured.Unstructured, error) {
	if len(r.namespaces) > 1 {
		list, err := p.Cluster.List(ctx, r.mapping, o)
		if err == nil || !cantList(err) {
			return list, wrapList(r, err)
		}
	}
	var out []*unstructured.Unstructured
	for _, ns := range sortedKeys(r.namespaces) {
		o.Namespace = ns
		list, err := p.Cluster.List(ctx, r.mapping, o)
		if cantList(err) {
			list, err = p.getEach(ctx, r, ns)
		}
		if err != nil {
			return nil, wrapList(r, err)
		}
		out = append(out, list...)
	}
	return out, nil
}

// cantList tells a user or a kind without lists from other failures.
func cantList(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsMethodNotSupported(err)
}

func wrapList(r *kindRead, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("read the live objects of kind %s: %w", r.mapping.GVK.Kind, err)
}

// getEach reads objects one by one, for kinds or users that can't list.
func (p Planner) getEach(ctx context.Context, r *kindRead, namespace string) ([]*unstructured.Unstructured, error) {
	var out []*unstructured.Unstructured
	for ref := range r.refs {
		if ref.Namespace != namespace {
			continue
		}
		u, err := p.getOne(ctx, r.mapping, ref)
		if err != nil {
			return nil, err
		}
		if u != nil {
			out = append(out, u)
		}
	}
	return out, nil
}

// getOne returns nil for an object that is not there.
func (p Planner) getOne(ctx context.Context, m cluster.Mapping, ref object.Ref) (*unstructured.Unstructured, error) {
	u, err := p.Cluster.Get(ctx, m, ref.Namespace, ref.Name)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return u, nil
}
