package live

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/follow"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/snapshot"
)

// bound is one kubernetes binding that is followed.
type bound struct {
	monitor *Monitor
	hook    *hook.Hook
	config  *binding.Kubernetes
	mapping cluster.Mapping

	mu         sync.Mutex
	trackers   map[string]*tracked // by namespace; "" is all of them
	namespaces *follow.Following   // follows the namespaces that are chosen by labels
	stopped    bool
	base       snapshot.Counts // what trackers counted that are gone
	seen       snapshot.Counts // counts at the last run of the hook
}

// tracked is one namespace of a binding.
type tracked struct {
	*snapshot.Tracker
	following *follow.Following
}

// start follows the objects of the binding.
func (b *bound) start() {
	if b.config.NamespaceLabels != nil {
		b.followNamespaces()
	}
	namespaces := b.config.Namespaces
	switch {
	case !b.mapping.Namespaced:
		namespaces = []string{""}
	case len(namespaces) == 0 && b.config.NamespaceLabels == nil:
		namespaces = []string{""}
	}
	for _, namespace := range namespaces {
		b.follow(namespace, false)
	}
}

// follow follows one namespace. A late one came in after the beginning: what is in
// it counts as added.
func (b *bound) follow(namespace string, late bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped || b.trackers[namespace] != nil {
		return
	}
	t := &tracked{Tracker: snapshot.NewTracker(b.config)}
	b.trackers[namespace] = t
	l := &listener{bound: b, tracker: t.Tracker, announced: late}
	t.following = b.monitor.Watches.Follow(b.query(namespace), l)
}

// leave ends a namespace; its objects are gone for the hook.
func (b *bound) leave(namespace string) {
	b.mu.Lock()
	t := b.trackers[namespace]
	delete(b.trackers, namespace)
	b.mu.Unlock()
	if t == nil {
		return
	}
	t.following.Stop()
	changes, err := t.Reset(b.monitor.ctx, nil)
	b.report(err)
	b.announce(changes)
	b.mu.Lock()
	b.base = sum(b.base, t.Counts())
	b.mu.Unlock()
}

func (b *bound) query(namespace string) follow.Query {
	q := follow.Query{Mapping: b.mapping, Namespace: namespace}
	if b.config.Labels != nil {
		q.Labels = b.config.Labels.String()
	}
	if len(b.config.Names) == 1 {
		q.Name = b.config.Names[0]
	}
	return q
}

// wait waits until the objects of all namespaces are known.
func (b *bound) wait(ctx context.Context) error {
	if b.namespaces != nil {
		if err := b.namespaces.Wait(ctx); err != nil {
			return b.fault(fmt.Errorf("namespaces: %w", err))
		}
	}
	for _, t := range b.parts() {
		if err := t.following.Wait(ctx); err != nil {
			return b.fault(err)
		}
	}
	return nil
}

func (b *bound) parts() []*tracked {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([]*tracked, 0, len(b.trackers))
	for _, t := range b.trackers {
		all = append(all, t)
	}
	return all
}

// snapshot is what the binding sees now.
func (b *bound) snapshot() (snapshot.Snapshot, error) {
	all := snapshot.Snapshot{}
	for _, t := range b.parts() {
		part, err := t.Snapshot()
		if err != nil {
			return nil, err
		}
		all = append(all, part...)
	}
	all.Sort()
	return all, nil
}

// counts tells what happened since the beginning, and since the last run.
func (b *bound) counts() (all, fresh snapshot.Counts) {
	parts := b.parts()
	b.mu.Lock()
	defer b.mu.Unlock()
	all = b.base
	for _, t := range parts {
		all = sum(all, t.Counts())
	}
	return all, snapshot.Counts{
		Added: all.Added - b.seen.Added, Modified: all.Modified - b.seen.Modified, Deleted: all.Deleted - b.seen.Deleted,
	}
}

func (b *bound) ran() {
	all, _ := b.counts()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen = all
}

func sum(a, b snapshot.Counts) snapshot.Counts {
	return snapshot.Counts{Added: a.Added + b.Added, Modified: a.Modified + b.Modified, Deleted: a.Deleted + b.Deleted}
}

// stop ends the binding and returns when nothing of it is left.
func (b *bound) stop() {
	b.mu.Lock()
	b.stopped = true
	parts, namespaces := b.trackers, b.namespaces
	b.trackers, b.namespaces = nil, nil
	b.mu.Unlock()
	if namespaces != nil {
		namespaces.Stop()
	}
	for _, t := range parts {
		t.following.Stop()
	}
}

// announce lets changes call the hook.
func (b *bound) announce(changes []snapshot.Change) {
	if len(changes) == 0 {
		return
	}
	triggers := make([]hook.Trigger, len(changes))
	for i, c := range changes {
		triggers[i] = hook.Changed(b.config.Name, c)
	}
	b.monitor.call(hook.Pending{Hook: b.hook, Triggers: triggers})
}

func (b *bound) report(err error) {
	if err != nil && b.monitor.Failed != nil {
		b.monitor.Failed(&hook.Error{Hook: b.hook.ID, Err: err})
	}
}

// fault names hook and binding.
func (b *bound) fault(err error) error {
	return &hook.Error{Hook: b.hook.ID, Err: fmt.Errorf("binding %q: %w", b.config.Name, err)}
}

// listener feeds a tracker.
type listener struct {
	bound     *bound
	tracker   *snapshot.Tracker
	announced bool // whether what a Reset brings is news
}

func (l *listener) Reset(bodies []map[string]any) {
	changes, err := l.tracker.Reset(l.bound.monitor.ctx, bodies)
	l.bound.report(err)
	if l.announced {
		l.bound.announce(changes)
	}
	l.announced = true
}

func (l *listener) Set(body map[string]any) {
	change, err := l.tracker.Set(l.bound.monitor.ctx, body)
	l.bound.report(err)
	if change != nil {
		l.bound.announce([]snapshot.Change{*change})
	}
}

func (l *listener) Remove(ref object.Ref) {
	if change := l.tracker.Remove(ref); change != nil {
		l.bound.announce([]snapshot.Change{*change})
	}
}

// followNamespaces follows the namespaces that the binding chooses by labels.
func (b *bound) followNamespaces() {
	q := follow.Query{Mapping: b.monitor.namespaceKind, Labels: b.config.NamespaceLabels.String(), MetadataOnly: true}
	b.namespaces = b.monitor.Watches.Follow(q, &chosen{bound: b})
}

// chosen keeps a binding to the namespaces whose labels match.
type chosen struct {
	bound *bound
	names []string
	late  bool
}

func (c *chosen) Reset(bodies []map[string]any) {
	var names []string
	for _, body := range bodies {
		names = append(names, object.RefOf(body).Name)
	}
	for _, name := range c.names {
		if !slices.Contains(names, name) {
			c.leave(name)
		}
	}
	for _, name := range names {
		c.bound.follow(name, c.late)
	}
	c.names, c.late = names, true
}

func (c *chosen) Set(body map[string]any) {
	name := object.RefOf(body).Name
	if !slices.Contains(c.names, name) {
		c.names = append(c.names, name)
		c.bound.follow(name, true)
	}
}

func (c *chosen) Remove(ref object.Ref) {
	c.names = slices.DeleteFunc(c.names, func(name string) bool { return name == ref.Name })
	c.leave(ref.Name)
}

// leave ends a namespace, unless the binding names it too.
func (c *chosen) leave(name string) {
	if !slices.Contains(c.bound.config.Namespaces, name) {
		c.bound.leave(name)
	}
}
