package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// Exit codes (docs/exit-codes.md).
const (
	ExitOK          = 0
	ExitFailed      = 1 // for diff and plan: there are differences
	ExitDiffFailed  = 2 // diff and plan: an error
	ExitRefused     = 3 // refused by a guard or a conflict
	ExitInterrupted = 130
)

// ExitError ends the process with a code. A nil Err prints nothing more.
type ExitError struct {
	Code int
	Err  error
}

// Error is the wrapped error's text.
func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns the reason.
func (e *ExitError) Unwrap() error { return e.Err }

// exit wraps an error with the code it should end the process with; an inner
// ExitError keeps its own.
func exit(code int, err error) error {
	var inner *ExitError
	if err == nil || errors.As(err, &inner) {
		return err
	}
	return &ExitError{Code: code, Err: err}
}

// ExitCode is the process's exit code for what Execute returned, with the
// message to print, empty for none.
func ExitCode(ctx context.Context, err error) (code int, message string) {
	if err == nil {
		return ExitOK, ""
	}
	var e *ExitError
	switch {
	case errors.Is(context.Cause(ctx), errInterrupted) && errors.Is(err, context.Canceled):
		return ExitInterrupted, errInterrupted.Error()
	case errors.Is(context.Cause(ctx), errInterrupted):
		return ExitInterrupted, err.Error()
	case errors.As(err, &e) && e.Err == nil:
		return e.Code, ""
	case errors.As(err, &e):
		return e.Code, err.Error()
	default:
		return ExitFailed, err.Error()
	}
}

// errInterrupted is the cause of a context that a signal cancelled.
var errInterrupted = errors.New("interrupted")

// ignoreLeft drops the error of writing to somebody who has stopped reading.
func ignoreLeft(err error) error {
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}
