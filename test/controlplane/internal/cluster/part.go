package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// part is a running component.
type part struct {
	name   string
	cancel context.CancelFunc
	done   chan struct{}
}

// parts starts components and collects the first failure among them.
type parts struct {
	running []*part
	failed  chan error
}

func newParts() *parts {
	// One slot: whoever fails first is the cause, the rest are consequences.
	return &parts{failed: make(chan error, 1)}
}

// start runs a component until its context ends. Ending on its own is a
// failure, with or without an error.
func (p *parts) start(ctx context.Context, name string, run func(context.Context) error) {
	own, cancel := context.WithCancel(ctx)
	started := &part{name: name, cancel: cancel, done: make(chan struct{})}
	p.running = append(p.running, started)
	go func() {
		defer close(started.done)
		err := run(own)
		if own.Err() != nil {
			return
		}
		if err == nil {
			err = errors.New("ended unexpectedly")
		}
		select {
		case p.failed <- fmt.Errorf("%s: %w", name, err):
		default:
		}
	}()
}

// stop ends the components in the reverse order of their start and gives each
// of them at most the given time.
func (p *parts) stop(each time.Duration) {
	for i := len(p.running) - 1; i >= 0; i-- {
		p.running[i].cancel()
		select {
		case <-p.running[i].done:
		case <-time.After(each):
		}
	}
}
