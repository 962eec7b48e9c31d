package apply

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

const (
	// manyNamespaces is from how many namespaces on one watch follows all.
	manyNamespaces = 6
	// unseenAfter is how long a watch may take to show an object. One that it
	// doesn't show is gone or was never there: it is asked for.
	unseenAfter = 3 * time.Second
	// pollEvery is used where the user may not watch.
	pollEvery = 2 * time.Second
	// maxDenials is how often in all an object may be refused to be looked at.
	maxDenials = 2
)

// tracker follows the objects that are waited for: one watch for each kind and
// set of namespaces, as long as something is pending. A watch that starts
// without a version begins with everything that is there, so it needs no list;
// after a cut it is simply opened again.
type tracker struct {
	run    *run
	scopes map[scopeKey]*scope
	wide   map[schema.GroupVersionResource]bool // kinds to be watched everywhere
	narrow map[schema.GroupVersionResource]bool // the user may not
	coming map[schema.GroupVersionResource]int  // objects not written yet
}

// scopeKey is what one watch covers.
type scopeKey struct {
	resource  schema.GroupVersionResource
	namespace string // empty: all
	selector  string
}

// scope is one watch with what is pending in it.
type scope struct {
	key     scopeKey
	mapping cluster.Mapping
	pending map[types.NamespacedName]*node
	seen    map[types.NamespacedName]bool // since the watch was opened last
	polls   bool
	cancel  context.CancelFunc
}

func newTracker(r *run) *tracker {
	t := &tracker{
		run: r, scopes: map[scopeKey]*scope{},
		wide: map[schema.GroupVersionResource]bool{}, narrow: map[schema.GroupVersionResource]bool{},
		coming: map[schema.GroupVersionResource]int{},
	}
	namespaces := map[schema.GroupVersionResource]map[string]bool{}
	for _, o := range r.plan.Objects {
		if o.Op.Writes() {
			t.coming[o.Mapping.GVR]++
		}
		set := namespaces[o.Mapping.GVR]
		if set == nil {
			set = map[string]bool{}
			namespaces[o.Mapping.GVR] = set
		}
		set[o.Ref.Namespace] = true
		t.wide[o.Mapping.GVR] = len(set) >= manyNamespaces
	}
	return t
}

func (t *tracker) keyOf(n *node) scopeKey {
	o := n.planned
	key := scopeKey{resource: o.Mapping.GVR, namespace: o.Ref.Namespace, selector: selectorOf(o.Send)}
	if t.wide[key.resource] && !t.narrow[key.resource] {
		key.namespace = ""
	}
	return key
}

// selectorOf narrows a watch to our own objects, by the label they were just
// given.
func selectorOf(send map[string]any) string {
	if value := (&unstructured.Unstructured{Object: send}).GetLabels()[state.PartOfLabel]; send != nil && value != "" {
		return state.PartOfLabel + "=" + value
	}
	return ""
}

func nameOf(n *node) types.NamespacedName {
	return types.NamespacedName{Namespace: n.planned.Ref.Namespace, Name: n.planned.Ref.Name}
}

// add starts following an object.
func (t *tracker) add(n *node) {
	t.came(n)
	key := t.keyOf(n)
	s := t.scopes[key]
	if s == nil {
		s = &scope{
			key: key, mapping: n.planned.Mapping,
			pending: map[types.NamespacedName]*node{}, seen: map[types.NamespacedName]bool{},
		}
		t.scopes[key] = s
		t.open(s)
	}
	s.pending[nameOf(n)] = n
	delete(s.seen, nameOf(n))
	t.run.after(unseenAfter, func() { t.askUnseen(s, n) })
}

// drop stops following an object, and its watch with the last one.
func (t *tracker) drop(n *node) {
	if n.planned == nil {
		return
	}
	t.came(n)
	key := t.keyOf(n)
	s := t.scopes[key]
	if s == nil || s.pending[nameOf(n)] != n {
		return
	}
	delete(s.pending, nameOf(n))
	if len(s.pending) == 0 && t.coming[key.resource] == 0 {
		s.cancel()
		delete(t.scopes, key)
	}
}

// came notes that an object is no longer to be expected: it waits, or is settled
// without. A watch stays as long as more objects of its kind may soon be pending.
func (t *tracker) came(n *node) {
	if o := t.run.plan.Objects[n.index]; !n.came && o.Op.Writes() {
		n.came = true
		t.coming[o.Mapping.GVR]--
	}
}

// see takes in one event of a watch.
func (t *tracker) see(s *scope, u *unstructured.Unstructured, deleted bool) {
	name := types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()}
	n := s.pending[name]
	switch {
	case n == nil:
	case deleted && n.uid != "" && u.GetUID() != n.uid:
		// A namesake from before went: the watch lags behind.
	case deleted && s.key.selector != "":
		t.ask(n) // it may only have lost the label
	case deleted:
		t.run.vanished(n)
	default:
		s.seen[name] = true
		t.run.look(n, u)
	}
}

// reopened notes that a watch starts from the beginning: what went in the gap is
// not among what it shows.
func (t *tracker) reopened(s *scope) {
	clear(s.seen)
	for _, n := range s.pending {
		t.run.after(unseenAfter, func() { t.askUnseen(s, n) })
	}
}

func (t *tracker) askUnseen(s *scope, n *node) {
	if s.pending[nameOf(n)] == n && !s.seen[nameOf(n)] && !s.polls {
		t.ask(n)
		t.run.after(10*unseenAfter, func() { t.askUnseen(s, n) })
	}
}

// ask reads one object beside the watch.
func (t *tracker) ask(n *node) {
	o := n.planned
	go t.answer(n, o)
}

// answer reads an object, beside the loop, and posts what came of it.
func (t *tracker) answer(n *node, o *plan.Object) {
	r := t.run
	u, err := r.exec.Client.Get(r.work, o.Mapping, o.Ref.Namespace, o.Ref.Name)
	missing := r.missing(o, err)
	r.post(func() { t.answered(n, u, err, missing) })
}

func (t *tracker) answered(n *node, u *unstructured.Unstructured, err error, missing bool) {
	switch {
	case err == nil:
		t.run.look(n, u)
	case missing:
		t.run.vanished(n)
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		t.denied(n, err)
	}
}

// denied gives an object up that we may not look at, or no longer: waiting for its
// time limit would only hide the reason. Once is no reason, since credentials may
// just be changing hands.
func (t *tracker) denied(n *node, err error) {
	if n.phase != phaseWaiting {
		return
	}
	if n.denials++; n.denials < maxDenials {
		t.run.after(unseenAfter, func() {
			if n.phase == phaseWaiting {
				t.ask(n)
			}
		})
		return
	}
	t.run.fail(n, t.run.because(n, "it can't be looked at while waiting: ", err))
}

// askAll asks for everything pending in a scope whose watch is refused.
func (t *tracker) askAll(s *scope) {
	for _, n := range s.pending {
		if n.denials == 0 {
			t.ask(n)
		}
	}
}

// deny falls back where a watch is not allowed: from all namespaces to each, and
// from watching to asking.
func (t *tracker) deny(s *scope) {
	if s.key.namespace == "" && s.mapping.Namespaced {
		t.narrow[s.key.resource] = true
		delete(t.scopes, s.key)
		for _, n := range s.pending {
			t.add(n)
		}
		return
	}
	s.polls = true
	t.poll(s)
}

// poll asks for everything pending, one after the other, and comes again.
func (t *tracker) poll(s *scope) {
	var nodes []*node
	for _, n := range s.pending {
		nodes = append(nodes, n)
	}
	r := t.run
	go func() {
		for _, n := range nodes {
			t.answer(n, n.planned)
		}
		r.post(func() {
			if len(s.pending) > 0 || t.coming[s.key.resource] > 0 {
				r.after(pollEvery, func() { t.poll(s) })
				return
			}
			delete(t.scopes, s.key)
		})
	}()
}
