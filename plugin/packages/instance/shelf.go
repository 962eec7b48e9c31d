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

	users int
}

// Shelf keeps what is shared. It may be used by several goroutines; the zero value is
// empty.
type Shelf struct {
	mu  sync.Mutex
	all map[string]*Shared
}

// Take opens the bundle in a directory, or gives what is open already. Give it back.
// The version counts instead of that of package.yaml, unless it is empty.
func (s *Shelf) Take(ctx context.Context, dir, version string) (*Shared, error) {
	key := dir + "\x00" + version
	s.mu.Lock()
	defer s.mu.Unlock()
	if open, ok := s.all[key]; ok {
		open.users++
		return open, nil
	}
	opened, err := read(ctx, dir, version)
	if err != nil {
		return nil, err
	}
	if s.all == nil {
		s.all = map[string]*Shared{}
	}
	opened.users = 1
	s.all[key] = opened
	return opened, nil
}

// Give gives back what was taken.
func (s *Shelf) Give(shared *Shared) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	shared.users--
	if shared.users > 0 {
		return nil
	}
	for key, open := range s.all {
		if open == shared {
			delete(s.all, key)
		}
	}
	return shared.Package.Close()
}

func read(ctx context.Context, dir, version string) (_ *Shared, err error) {
	p, err := source.Opener{}.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
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
	if s.Template, err = render.New(p.Bundle); err != nil {
		return nil, err
	}
	if s.Static, err = s.Template.Static(); err != nil {
		return nil, err
	}
	return s, nil
}
