package lifecycle

import (
	"context"
	"sync"
)

// Cause says why an operation ended before its time.
type Cause string

// The causes.
const (
	UpdateStarted            Cause = "update started"
	UpdateSuperseded         Cause = "update superseded"
	ReconciliationSuperseded Cause = "reconciliation superseded"
	RemovalStarted           Cause = "removal started"
	SuspensionStarted        Cause = "suspension started"
	HooksStopped             Cause = "the hooks are stopped"
	Stopped                  Cause = "the controller stops"
	Done                     Cause = "the application is removed"
)

// CanceledError is the end of an operation with its cause.
type CanceledError struct{ Cause Cause }

// Error is the cause in words.
func (e *CanceledError) Error() string { return string(e.Cause) }

// Is makes it a cancellation.
func (e *CanceledError) Is(target error) bool { return target == context.Canceled }

// operation is one that is under way.
type operation struct {
	ctx    context.Context //nolint:containedctx // it is what the operation is
	cancel context.CancelCauseFunc
}

func begin(parent context.Context) *operation {
	ctx, cancel := context.WithCancelCause(parent)
	return &operation{ctx, cancel}
}

func (o *operation) end(cause Cause) {
	if o != nil {
		o.cancel(&CanceledError{cause})
	}
}

// Operations are those of one application. They may be used by several goroutines; the
// zero value is ready.
type Operations struct {
	mu                     sync.Mutex
	update, reconciliation *operation
	removal                *operation
}

// Update begins an update. false: the application is being removed.
func (o *Operations) Update(parent context.Context) (context.Context, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.removal != nil {
		return nil, false
	}
	o.update.end(UpdateSuperseded)
	o.reconciliation.end(UpdateStarted)
	o.update, o.reconciliation = begin(parent), nil
	return o.update.ctx, true
}

// Reconcile begins a reconciliation, which is also ended by an update. false: the
// application is being removed.
func (o *Operations) Reconcile(parent context.Context) (context.Context, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.removal != nil {
		return nil, false
	}
	o.reconciliation.end(ReconciliationSuperseded)
	o.reconciliation = begin(parent)
	return o.reconciliation.ctx, true
}

// Suspend begins a suspension, which is in the place of a reconciliation. false: the
// application is being removed.
func (o *Operations) Suspend(parent context.Context) (context.Context, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.removal != nil {
		return nil, false
	}
	o.reconciliation.end(SuspensionStarted)
	o.reconciliation = begin(parent)
	return o.reconciliation.ctx, true
}

// Remove begins the removal. false: it has begun already, and goes on as it is.
func (o *Operations) Remove(parent context.Context) (context.Context, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.removal != nil {
		return o.removal.ctx, false
	}
	o.update.end(RemovalStarted)
	o.reconciliation.end(RemovalStarted)
	o.removal = begin(parent)
	return o.removal.ctx, true
}

// Removing tells whether the removal has begun.
func (o *Operations) Removing() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.removal != nil
}

// End ends all operations.
func (o *Operations) End(cause Cause) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.update.end(cause)
	o.reconciliation.end(cause)
	o.removal.end(cause)
}
