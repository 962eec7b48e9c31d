package instance

import (
	"context"
	"errors"
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/render"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schema"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/values"
)

// Render renders the templates with settings and values as they are now; Instance,
// Settings, Values and Secrets of the request are filled in. A package without templates
// is render.ErrNoChart.
func (i *Instance) Render(ctx context.Context, r render.Request) (*render.Result, error) {
	i.mu.Lock()
	r.Settings, r.Values = i.settings, i.values
	i.mu.Unlock()
	r.Instance, r.Secrets = render.Instance{Namespace: i.id.Namespace, Name: i.id.Name}, i.Secrets()
	return i.shared.render(ctx, r)
}

// render renders with the settings and values of the request.
func (s *Shared) render(ctx context.Context, r render.Request) (*render.Result, error) {
	name := s.Package.Definition.Name
	if s.Template == nil {
		return nil, fmt.Errorf("render package %s: %w", name, render.ErrNoChart)
	}
	if r.Settings == nil {
		return nil, fmt.Errorf("render package %s: its settings have not been accepted yet", name)
	}
	if v := s.Schemas.Values; v != nil && v.RequiresForRendering() {
		if err := v.Validate(ctx, r.Values, schema.Check{Rendering: true}); err != nil {
			return nil, fmt.Errorf("render package %s: %w", name, err)
		}
	}
	return s.Template.Render(ctx, r)
}

// Secrets are what the schemas mark in settings and values.
func (i *Instance) Secrets() []any {
	return append(i.shared.Schemas.Secrets(i.Settings()), i.shared.Schemas.Secrets(i.Values())...)
}

// Scrub hides in a text what the schemas mark as secret in settings and values.
func (i *Instance) Scrub(text string) string { return scrub(text, i.Secrets()) }

func scrub(text string, secrets []any) string {
	if len(secrets) == 0 {
		return text
	}
	bodies := make([]map[string]any, len(secrets))
	for n, s := range secrets {
		bodies[n] = output.SecretOf(s)
	}
	return object.Scrub(text, bodies...)
}

// Masked copies settings or values without what the schemas mark as secret.
func (i *Instance) Masked(of map[string]any) map[string]any { return i.shared.Schemas.Mask(of) }

// IsInvalid tells whether an error is one of the user's settings, which only another
// settings can mend.
func IsInvalid(err error) bool {
	var invalid *schema.InvalidError
	var refused *RefusedError
	var large *LargeError
	return errors.As(err, &invalid) || errors.As(err, &refused) || errors.As(err, &large)
}

// Digest names values by their content.
func (i *Instance) Digest() (string, error) { return values.Digest(i.Values()) }
