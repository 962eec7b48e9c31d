package instance

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/source"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/render"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schema"
)

// Shared is what all instances of a bundle have in common. It is immutable.
type Shared struct {
	Package *source.Package
	Schemas schema.Set
	// Template is nil if there is nothing to render.
	Template *render.Template
	// Static are the values of a values.yaml, nil if there is none.
	Static map[string]any
	// Warnings are what is odd about the bundle.
	Warnings []bundle.Finding
}

// Shelf keeps what is shared. It may be used by several goroutines; the zero value is
// empty.
type Shelf struct {
	mu  sync.Mutex
	all map[string]*place
}

// place is where a bundle is on the shelf, or is about to be.
type place struct {
	// done is closed when the bundle has been read; then shared or err is set.
	done   chan struct{}
	shared *Shared
	err    error
	// users guard the place: without any it is given up. Who reads is one.
	users int
}

// Take opens the bundle in a directory, or gives what is open already. Give it back.
// The version counts instead of that of package.yaml, unless it is empty. One that takes
// long to read holds up only those who want the same.
func (s *Shelf) Take(ctx context.Context, dir, version string) (*Shared, error) {
	key := dir + "\x00" + version
	at, first := s.enter(key)
	if first {
		// What it comes to is everybody's, so that it doesn't end with this caller.
		at.shared, at.err = read(context.WithoutCancel(ctx), dir, version)
		close(at.done)
	}
	var err error
	select {
	case <-at.done:
		if err = at.err; err == nil {
			return at.shared, nil
		}
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return nil, joined(err, s.leave(key, at))
}

// enter finds a place; the first who does has to fill it.
func (s *Shelf) enter(key string) (at *place, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, ok := s.all[key]; ok {
		at.users++
		return at, false
	}
	if s.all == nil {
		s.all = map[string]*place{}
	}
	at = &place{done: make(chan struct{}), users: 1}
	s.all[key] = at
	return at, true
}

// leave gives up a place. After a failure the next who comes reads anew.
func (s *Shelf) leave(key string, at *place) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at.users--; at.users > 0 {
		return nil
	}
	delete(s.all, key)
	if at.shared == nil {
		return nil
	}
	return at.shared.Package.Close()
}

// Give gives back what was taken.
func (s *Shelf) Give(shared *Shared) error {
	s.mu.Lock()
	for key, at := range s.all {
		select {
		case <-at.done:
			if at.shared == shared {
				s.mu.Unlock()
				return s.leave(key, at)
			}
		default: // it is being read
		}
	}
	s.mu.Unlock()
	return nil
}

func read(ctx context.Context, dir, version string) (_ *Shared, err error) {
	p, err := source.Opener{}.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	s, err := shared(p, version)
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return s, nil
}

// shared reads what is in an open bundle.
func shared(p *source.Package, version string) (*Shared, error) {
	if version != "" {
		p.Definition.Version = version
	}
	s := &Shared{Package: p, Warnings: p.Warnings}
	set, findings := schema.Load(p.SettingsSchema, p.ValuesSchema)
	if err := bundle.AsError(findings); err != nil {
		return nil, fmt.Errorf("package %s: %w", p.Definition.Name, err)
	}
	s.Schemas, s.Warnings = set, append(s.Warnings, bundle.Warnings(findings)...)
	if !p.Renders {
		return s, nil
	}
	var err error
	if s.Template, err = render.New(p.Bundle); err != nil {
		return nil, err
	}
	if s.Static, err = s.Template.Static(); err != nil {
		return nil, err
	}
	return s, nil
}
