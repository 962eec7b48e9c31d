package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/debug"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/instance"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/release"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/render"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// Diff tells what an apply would do to the objects of an application: one of now, or
// with another version or other settings. Nothing is written, and no hook is run.
func (r *Runtime) Diff(ctx context.Context, name string, w debug.Wanted) (debug.Comparison, error) {
	v, ok := r.find(name)
	if !ok {
		return debug.Comparison{}, debug.ErrNotLoaded
	}
	if w.Version == "" {
		w.Version = v.desired.Version
	}
	seen, notes, err := r.look(ctx, v, w)
	if err != nil {
		return compared(seen, nil), err
	}
	if seen.Result == nil {
		return debug.Comparison{}, render.ErrNoChart
	}
	p, err := r.Releases.Preview(ctx, release.Request{
		Namespace: v.desired.Namespace, Instance: v.desired.Name, Package: v.desired.Package, Version: w.Version,
		Objects: seen.Result.Objects, Hooks: seen.Result.Hooks, Maintenance: v.desired.Maintenance,
	})
	if err != nil {
		return compared(seen, nil), err
	}
	for _, warning := range seen.Result.Warnings {
		p.Warnings = append(p.Warnings, warning.String())
	}
	if d := r.Requirements(name, seen.Definition.Requirements); !d.Enabled() {
		p.Warnings = append(p.Warnings, fmt.Sprintf("the requirements of %s are not met, so none of this is applied: %s", w.Version, d.Message))
	}
	p.Notes = append(p.Notes, notes...)
	return compared(seen, p), nil
}

// compared adds what may not be shown.
func compared(seen *instance.Preview, p *plan.Plan) debug.Comparison {
	c := debug.Comparison{Plan: p}
	if seen != nil {
		c.Secrets = append(c.Secrets, output.SecretOf(seen.Secrets))
	}
	return c
}

// look renders what is wanted, and says how sure that is.
func (r *Runtime) look(ctx context.Context, v view, w debug.Wanted) (*instance.Preview, []string, error) {
	same := w.Version == v.desired.Version
	switch {
	case same && v.loaded == nil:
		return nil, nil, debug.ErrNotLoaded
	case same && w.Settings == nil:
		result, err := r.rendered(ctx, v)
		if errors.Is(err, render.ErrNoChart) {
			err = nil
		}
		return &instance.Preview{Definition: v.loaded.Definition(), Result: result}, nil, err
	}
	request, err := r.renderRequest(ctx, v)
	if err != nil {
		return nil, nil, err
	}
	wanted := instance.Wanted{
		Namespace: v.desired.Namespace, Name: v.desired.Name, Version: w.Version, Settings: w.Settings,
		Change: v.change, Render: request, Former: v.loaded,
	}
	wanted.Change.NewVersion = wanted.Change.NewVersion || !same
	if w.Settings == nil {
		wanted.Settings = v.desired.Settings
	}
	if same {
		seen, err := v.loaded.Look(ctx, wanted)
		return seen, guesses(seen, v, w), err
	}
	seen, err := r.lookAt(ctx, v, wanted)
	return seen, guesses(seen, v, w), err
}

// lookAt fetches another version and looks at that.
func (r *Runtime) lookAt(ctx context.Context, v view, w instance.Wanted) (_ *instance.Preview, err error) {
	p, err := r.Bundles.Bundle(ctx, v.desired.Registry, v.desired.Package, w.Version)
	if err != nil {
		return nil, fmt.Errorf("fetch %s of %s: %w", w.Version, v.desired.Package, err)
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if name := p.Definition.Name; name != v.desired.Package {
		return nil, fmt.Errorf("package.yaml of %s: name: wanted %s, found %s", w.Version, v.desired.Package, name)
	}
	return instance.Look(ctx, p, w)
}

// guesses say what hooks may make of values that they have not seen.
func guesses(seen *instance.Preview, v view, w debug.Wanted) []string {
	if seen == nil {
		return nil
	}
	var notes []string
	if len(seen.Programs) > 0 {
		notes = append(notes, fmt.Sprintf("hooks run with the apply and may change values; here are those that hooks have set so far: %s", strings.Join(seen.Programs, ", ")))
	}
	if seen.Skipped > 0 {
		notes = append(notes, fmt.Sprintf("changes that hooks of %s made to values and that have no place in %s: %d", v.desired.Version, w.Version, seen.Skipped))
	}
	if seen.Misfit != "" {
		notes = append(notes, fmt.Sprintf("what hooks of %s have set doesn't fit %s and is left out: %s", v.desired.Version, w.Version, seen.Misfit))
	}
	return notes
}
