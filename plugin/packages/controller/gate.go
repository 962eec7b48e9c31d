package controller

import (
	"context"
	"sync"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// gate lets only a few of the workers of a reconciler ask the same repository, so that one
// that answers slowly holds up no other. Who is not let in is asked for again when
// somebody leaves. It is a source of controller-runtime, for one reconciler.
type gate struct {
	// most is how many are let in for one repository.
	most int

	mu      sync.Mutex
	inside  map[string]int
	waiting map[string][]reconcile.Request
	queue   workqueue.TypedRateLimitingInterface[reconcile.Request]
}

func newGate(most int) *gate {
	return &gate{most: most, inside: map[string]int{}, waiting: map[string][]reconcile.Request{}}
}

// Start takes the queue of the reconciler.
func (g *gate) Start(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.queue = queue
	return nil
}

// enter tells whether a request may ask a repository now; then leave has to be called.
func (g *gate) enter(repository string, request reconcile.Request) (leave func(), ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inside[repository] >= g.most {
		g.waiting[repository] = append(g.waiting[repository], request)
		return nil, false
	}
	g.inside[repository]++
	return func() { g.leave(repository) }, true
}

func (g *gate) leave(repository string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inside[repository]--; g.inside[repository] == 0 {
		delete(g.inside, repository)
	}
	all := g.waiting[repository]
	if len(all) == 0 || g.queue == nil {
		return
	}
	g.queue.Add(all[0])
	if g.waiting[repository] = all[1:]; len(all) == 1 {
		delete(g.waiting, repository)
	}
}
