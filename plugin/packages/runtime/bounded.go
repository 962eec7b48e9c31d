package runtime

import (
	"context"
	"fmt"
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/render"
)

// DefaultRendering is how long the templates of an application may take.
const DefaultRendering = 2 * time.Minute

// rendering is one that somebody waits for, or gave up waiting for: templates can't be
// ended from outside.
type rendering struct {
	since time.Time
	// ended is closed, with Runtime.mu held, when it has come to an end.
	ended  chan struct{}
	result *render.Result
	err    error
}

// loopError is that templates that nobody waits for any more don't end.
type loopError struct{ since time.Time }

// Error says what to do.
func (e *loopError) Error() string {
	return fmt.Sprintf("templates that were begun at %s are still being rendered: do they loop? Nothing can end them but a new start of the controller",
		e.since.UTC().Format(time.RFC3339))
}

// bounded renders templates of an application, and gives up when the context or their
// time is over. What was given up has to come to an end by itself before anything of this
// application is rendered again, so that of each application one loops at most.
func (r *Runtime) bounded(ctx context.Context, name string, do func() (*render.Result, error)) (*render.Result, error) {
	timer := r.Clock.NewTimer(r.Rendering)
	defer timer.Stop()
	if left := r.givenUp(name); left != nil {
		select {
		case <-left.ended:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-timer.C():
			return nil, &loopError{since: left.since}
		}
	}
	this := &rendering{since: r.Clock.Now(), ended: make(chan struct{})}
	go func() {
		this.result, this.err = do()
		r.set(func() {
			close(this.ended)
			if r.loops[name] == this {
				delete(r.loops, name)
			}
		})
	}()
	select {
	case <-this.ended:
		return this.result, this.err
	case <-ctx.Done():
		r.giveUp(name, this)
		return nil, context.Cause(ctx)
	case <-timer.C():
		r.giveUp(name, this)
		return nil, fmt.Errorf("the templates have not been rendered within %s: do they loop?", r.Rendering)
	}
}

// givenUp is a rendering that goes on without anybody who waits for it.
func (r *Runtime) givenUp(name string) *rendering {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.loops[name]
}

func (r *Runtime) giveUp(name string, this *rendering) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-this.ended:
	default:
		r.loops[name] = this
	}
}
