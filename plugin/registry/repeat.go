package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"time"

	"oras.land/oras-go/v2/errdef"
)

// errStalled ends a transfer that gives no bytes.
var errStalled = errors.New("the transfer stalled")

// repeat tries a transfer until it succeeds, fails for good, or was tried often
// enough. Single requests are repeated below it; this is for what breaks in the
// middle of an answer.
func (c *Client) repeat(ctx context.Context, try func(ctx context.Context) error) error {
	wait := c.options.Retry.MinWait
	for attempt := 1; ; attempt++ {
		err := try(ctx)
		if err == nil || attempt >= c.options.Retry.Attempts || !mayPass(err) || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, context.Cause(ctx))
		case <-time.After(wait):
		}
		wait = min(2*wait, c.options.Retry.MaxWait)
	}
}

// mayPass tells errors of a broken connection from those that come again.
func mayPass(err error) bool {
	var network net.Error
	var disk *fs.PathError
	switch {
	case errors.As(err, &disk):
		return false
	case errors.Is(err, ErrCorrupt), isMismatch(err), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, errStalled):
		return true
	}
	return errors.As(err, &network)
}

// stored takes "it is there already" for done: another process was faster.
func stored(err error) error {
	if errors.Is(err, errdef.ErrAlreadyExists) {
		return nil
	}
	return err
}

// watched is a transfer that is cancelled when it gives no byte for a while.
type watched struct {
	in     io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	stall  time.Duration
}

// watch starts a transfer under a watchdog. start gets a context that ends with
// the transfer.
func watch(ctx context.Context, stall time.Duration, start func(ctx context.Context) (io.ReadCloser, error)) (io.ReadCloser, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	in, err := start(ctx)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	timer := time.AfterFunc(stall, func() { cancel(errStalled) })
	return &watched{in: in, ctx: ctx, cancel: cancel, timer: timer, stall: stall}, nil
}

// Read implements io.Reader. It names the watchdog as the reason where it was.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.in.Read(p)
	if err == nil {
		w.timer.Reset(w.stall)
		return n, nil
	}
	if !errors.Is(err, io.EOF) && errors.Is(context.Cause(w.ctx), errStalled) {
		return n, fmt.Errorf("%w: no byte for %s", errStalled, w.stall)
	}
	return n, err
}

// Close ends the transfer and its watchdog.
func (w *watched) Close() error {
	w.timer.Stop()
	err := w.in.Close()
	w.cancel(nil)
	return err
}
