package apply

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// longestGap bounds the pause between two tries to open a watch.
const longestGap = 10 * time.Second

// open starts the goroutine that keeps a scope's watch.
func (t *tracker) open(s *scope) {
	ctx, cancel := context.WithCancel(t.run.work)
	s.cancel = cancel
	go t.follow(ctx, s, s.mapping, s.key)
}

// follow opens the watch again whenever it is cut, until ctx ends. Everything it
// learns it posts to the loop.
func (t *tracker) follow(ctx context.Context, s *scope, m cluster.Mapping, key scopeKey) {
	gap := 100 * time.Millisecond
	for cuts := 0; ctx.Err() == nil; cuts++ {
		w, err := t.run.exec.Client.Watch(ctx, m, key.namespace, cluster.ListOptions{LabelSelector: key.selector})
		switch {
		case apierrors.IsForbidden(err), apierrors.IsMethodNotSupported(err):
			t.run.post(func() { t.deny(s) })
			return
		case apierrors.IsUnauthorized(err):
			t.run.post(func() { t.askAll(s) })
		case err == nil:
			if cuts > 0 {
				t.run.post(func() { t.reopened(s) })
			}
			if t.drain(ctx, s, w) {
				gap = 100 * time.Millisecond
			}
			w.Stop()
		}
		select {
		case <-ctx.Done():
		case <-t.run.clock.After(gap):
			gap = min(2*gap, longestGap)
		}
	}
}

// drain posts the events of one watch until it ends, and tells whether there
// were any.
func (t *tracker) drain(ctx context.Context, s *scope, w watch.Interface) bool {
	heard := false
	for {
		select {
		case <-ctx.Done():
			return heard
		case e, ok := <-w.ResultChan():
			if !ok || e.Type == watch.Error {
				return heard
			}
			u, isObject := e.Object.(*unstructured.Unstructured)
			if !isObject || e.Type == watch.Bookmark {
				continue
			}
			heard = true
			t.run.post(func() { t.see(s, u, e.Type == watch.Deleted) })
		}
	}
}
