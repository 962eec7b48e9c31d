package controller

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// Changes brings what the Runtime reports to the queue of the Application reconciler.
// It is a source of controller-runtime. The zero value is ready; it is for one Manager.
type Changes struct {
	mu    sync.Mutex
	queue workqueue.TypedRateLimitingInterface[reconcile.Request]
	pause time.Duration
}

// Changed says that something about an instance has changed. It never blocks. Changes
// that follow each other closely become one.
func (c *Changes) Changed(name string) {
	namespace, instance, ok := api.SplitInstanceName(name)
	if !ok {
		return // no Application has such a name
	}
	c.mu.Lock()
	queue, pause := c.queue, c.pause
	c.mu.Unlock()
	if queue != nil {
		queue.AddAfter(reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: instance}}, pause)
	}
}

// Start begins to fill a queue. What changed before is seen anyway: every Application
// is looked at when the reconciler starts.
func (c *Changes) Start(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue = queue
	return nil
}
