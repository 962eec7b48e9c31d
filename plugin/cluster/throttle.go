package cluster

import (
	"context"
	"net/http"
	"sync/atomic"

	"k8s.io/client-go/util/flowcontrol"
)

// flowSchemaHeader is set by servers that run API Priority and Fairness.
const flowSchemaHeader = "X-Kubernetes-Pf-Flowschema-Uid"

// throttle is kubectl's client-side limit (50 a second, 300 at once), for servers
// without flow control of their own. The first answer that shows API Priority and
// Fairness turns it off for good; its burst is larger than what is sent until then.
type throttle struct {
	limiter flowcontrol.RateLimiter
	off     atomic.Bool
}

func newThrottle() *throttle {
	return &throttle{limiter: flowcontrol.NewTokenBucketRateLimiter(50, 300)}
}

// wait holds a request back when the limit is reached.
func (t *throttle) wait(ctx context.Context) error {
	if t.off.Load() {
		return ctx.Err()
	}
	return t.limiter.Wait(ctx)
}

// observe looks for the mark of the server's own flow control.
func (t *throttle) observe(h http.Header) {
	if h.Get(flowSchemaHeader) != "" {
		t.off.Store(true)
	}
}
