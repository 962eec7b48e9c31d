package hook

import (
	"context"
	"errors"
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
)

// Effects are where the answers of hooks go.
type Effects struct {
	// Values are those that the patch is applied to.
	Values map[string]any
	// CheckValues judges values before they count, such as by their schema; nil
	// accepts all.
	CheckValues func(values map[string]any) error
	// Metrics takes metrics; nil drops them, as for applications Deckhouse does.
	Metrics func(hook string, metrics []output.Metric) error
	// Objects does the operations on objects.
	Objects Sink
}

// Taken is what came of a result.
type Taken struct {
	// Values are those after the run; the ones before if it failed.
	Values map[string]any
	// Changed tells that values differ from before. A patch that leaves them
	// equal is no change.
	Changed bool
}

// Take lets a result take effect: metrics, then operations on objects, then values.
//
// The new values are made and judged first, so that a patch that can't be applied,
// or values that the schema refuses, leave objects and metrics alone. Operations
// are tried all, and their errors joined; one that fails leaves the values as they
// were, and what the others did stays done.
func (r Result) Take(ctx context.Context, e Effects) (Taken, error) {
	before := Taken{Values: e.Values}
	values, err := r.Patch.Apply(e.Values)
	if err != nil {
		return before, r.fault(err)
	}
	changed := !object.Equal(values, e.Values)
	if changed && e.CheckValues != nil {
		if err := e.CheckValues(values); err != nil {
			return before, r.fault(fmt.Errorf("values after its patch: %w", err))
		}
	}
	if e.Metrics != nil && len(r.Metrics) > 0 {
		if err := e.Metrics(r.Hook.ID, r.Metrics); err != nil {
			return before, r.fault(err)
		}
	}
	if err := r.Operate(ctx, e.Objects); err != nil {
		return before, err
	}
	return Taken{Values: values, Changed: changed}, nil
}

// Operate does the operations on objects only: all that takes effect of a run that
// failed.
func (r Result) Operate(ctx context.Context, sink Sink) error {
	var failures []error
	if sink == nil && len(r.Operations) > 0 {
		return r.fault(errors.New("there is nothing that would do its operations on objects"))
	}
	for _, o := range r.Operations {
		if ctx.Err() != nil {
			failures = append(failures, fmt.Errorf("not begun from %s on: %w", o, context.Cause(ctx)))
			break
		}
		if err := sink.Do(ctx, o); err != nil {
			failures = append(failures, named(o, err))
		}
	}
	if len(failures) == 0 {
		return nil
	}
	return r.fault(errors.Join(failures...))
}

// named puts the operation before an error, unless the error begins with it.
func named(o output.Operation, err error) error {
	var already *OperationError
	if errors.As(err, &already) {
		return err
	}
	return &OperationError{Operation: o, Err: err}
}

// OperationError is an operation that failed.
type OperationError struct {
	Operation output.Operation
	Err       error
}

// Error names operation, object and cause, without values of Secrets that the
// operation carries: servers quote what they are sent.
func (e *OperationError) Error() string {
	return e.Operation.String() + ": " + object.Scrub(e.Err.Error(), output.Bodies([]output.Operation{e.Operation})...)
}

// Unwrap gives the cause.
func (e *OperationError) Unwrap() error { return e.Err }

func (r Result) fault(err error) *Error { return &Error{Hook: r.Hook.ID, Err: err} }
