package instance

import (
	"context"
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/source"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/render"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schema"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/values"
)

// Wanted is what a Preview is of.
type Wanted struct {
	// Namespace and Name are the application's.
	Namespace, Name string
	// Version counts instead of that of package.yaml, unless it is empty.
	Version string
	// Settings are those that a user gives, Change says what they replace.
	Settings map[string]any
	Change   values.Change
	// Render has all but Instance, Settings, Values and Secrets.
	Render render.Request
	// Former is the loaded package whose hooks have set values so far; nil is none.
	Former *Instance
}

// Preview is what an application would render to, as far as that can be told without
// running any of its programs.
type Preview struct {
	Definition bundle.Definition
	Result     *render.Result // nil where there is nothing to render
	// Secrets are what the schemas mark in settings and values.
	Secrets []any
	// Programs are files that may be hooks, which have not been run.
	Programs []string
	// Skipped counts the values set by hooks of Former that have no place any more;
	// Misfit says why none of them could be taken over, "" where they could.
	Skipped int
	Misfit  string
}

// Look previews an application with an open package, which it doesn't close. Nothing
// that is loaded changes. A package without templates is no error.
func Look(ctx context.Context, p *source.Package, w Wanted) (*Preview, error) {
	s, err := shared(p, w.Version)
	if err != nil {
		return nil, err
	}
	return s.look(ctx, w)
}

// Look previews the loaded package with other settings, which its programs judge.
func (i *Instance) Look(ctx context.Context, w Wanted) (*Preview, error) {
	if _, err := i.Judge(ctx, w.Settings, w.Change); err != nil {
		return nil, err
	}
	w.Former = i
	return i.shared.look(ctx, w)
}

func (s *Shared) look(ctx context.Context, w Wanted) (*Preview, error) {
	seen := &Preview{Definition: s.Package.Definition}
	var err error
	if seen.Programs, err = hook.Programs(s.Package.Dir); err != nil {
		return nil, err
	}
	r := w.Render
	r.Instance = render.Instance{Namespace: w.Namespace, Name: w.Name}
	sources := &values.Sources{Schemas: s.Schemas, Static: s.Static}
	if r.Settings, err = sources.Settings(ctx, w.Settings, w.Change); err != nil {
		return nil, err
	}
	if r.Values, err = seen.values(ctx, sources, r.Settings, w.Former); err != nil {
		return nil, err
	}
	seen.Secrets = append(s.Schemas.Secrets(r.Settings), s.Schemas.Secrets(r.Values)...)
	if s.Template == nil {
		return seen, nil
	}
	r.Secrets = seen.Secrets
	seen.Result, err = s.render(ctx, r)
	return seen, err
}

// values lays what hooks have set so far over those of the settings. Where that doesn't
// fit any more, it counts as if no hook had run.
func (p *Preview) values(ctx context.Context, sources *values.Sources, settings map[string]any, former *Instance) (map[string]any, error) {
	if former != nil {
		computed, err := sources.Values(settings, former.accepted())
		if err == nil {
			err = sources.Check(ctx, computed.Values, schema.Check{Old: former.Values()})
		}
		if err == nil {
			p.Skipped = computed.Skipped
			return computed.Values, nil
		}
		p.Misfit = err.Error()
	}
	computed, err := sources.Values(settings, output.ValuesPatch{})
	if err != nil {
		return nil, fmt.Errorf("values: %w", err)
	}
	return computed.Values, nil
}
