package render

import (
	"context"
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schema"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/values"
)

// Inputs are what Prepare makes settings and values of.
type Inputs struct {
	// Settings are those of a user; nil: they are guessed.
	Settings map[string]any
	// Complete makes up values that hooks would have set.
	Complete bool
	// Patches are those that hooks wrote so far.
	Patches output.ValuesPatch
}

// Prepared is a package with settings and values.
type Prepared struct {
	Bundle  *bundle.Bundle
	Sources *values.Sources
	// Template is nil if the package has no templates.
	Template *Template
	// Settings are the effective ones, Values all values.
	Settings, Values map[string]any
	// Guessed tells that nobody gave the settings.
	Guessed bool
	// Secrets are values that the schemas mark as secret.
	Secrets []any
}

// Prepare reads schemas and templates of a bundle and makes settings and values,
// without a cluster. The findings are those of the schemas; an Error among them is
// the error, too.
func Prepare(ctx context.Context, b *bundle.Bundle, in Inputs) (*Prepared, []bundle.Finding, error) {
	set, findings := schema.Load(b.SettingsSchema, b.ValuesSchema)
	if err := bundle.AsError(findings); err != nil {
		return nil, findings, err
	}
	p := &Prepared{Bundle: b, Sources: &values.Sources{Schemas: set}}
	if err := p.read(); err != nil {
		return nil, findings, err
	}
	if err := p.compute(ctx, in); err != nil {
		return nil, findings, err
	}
	return p, findings, nil
}

func (p *Prepared) read() (err error) {
	if !p.Bundle.Renders {
		return nil
	}
	if p.Template, err = New(p.Bundle); err != nil {
		return err
	}
	p.Sources.Static, err = p.Template.Static()
	return err
}

func (p *Prepared) compute(ctx context.Context, in Inputs) error {
	given := in.Settings
	if p.Guessed = given == nil; p.Guessed {
		given = p.Sources.Guess()
	}
	var err error
	if p.Settings, err = p.Sources.Settings(ctx, given, values.Change{}); err != nil {
		if p.Guessed {
			return fmt.Errorf("guessed settings don't fit; give settings, or the schema an x-example where it is named: %w", err)
		}
		return err
	}
	computed, err := p.Sources.Values(p.Settings, in.Patches)
	if err != nil {
		return err
	}
	p.Values = computed.Values
	if in.Complete {
		p.Values = p.Sources.Complete(p.Values)
	}
	p.Secrets = p.secrets()
	return nil
}

func (p *Prepared) secrets() []any {
	var all []any
	if s := p.Sources.Schemas.Settings; s != nil {
		all = append(all, s.Secrets(p.Settings)...)
	}
	if s := p.Sources.Schemas.Values; s != nil {
		all = append(all, s.Secrets(p.Values)...)
	}
	return all
}

// Render renders what is prepared; Settings, Values and Secrets of the request are
// replaced. What x-required-for-helm asks for has to be there.
func (p *Prepared) Render(ctx context.Context, r Request) (*Result, error) {
	if p.Template == nil {
		return nil, fmt.Errorf("render package %s: %w", p.Bundle.Definition.Name, ErrNoChart)
	}
	if s := p.Sources.Schemas.Values; s != nil && s.RequiresForRendering() {
		if err := s.Validate(ctx, p.Values, schema.Check{Rendering: true}); err != nil {
			return nil, fmt.Errorf("render package %s: %w", p.Bundle.Definition.Name, err)
		}
	}
	r.Settings, r.Values, r.Secrets = p.Settings, p.Values, p.Secrets
	return p.Template.Render(ctx, r)
}
