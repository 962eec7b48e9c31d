package values

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schema"
)

// Sources are what values are made of besides settings and hooks.
type Sources struct {
	Schemas schema.Set
	// Static are the values of a values.yaml of the package; nil is none.
	Static map[string]any
	// Catalogues are what the project offers, by the name of the resource; nil
	// where nobody knows.
	Catalogues map[string]schema.Catalogue
}

// Change says what settings replace. The zero value is an installation.
type Change struct {
	// Applied are the effective settings of the last successful apply; nil is none.
	Applied map[string]any
	// NewVersion: the package has another version than then. Rules that compare
	// with old settings are not asked; immutable fields stay immutable.
	NewVersion bool
}

// Settings returns the effective settings. Faults of the settings are a
// *schema.InvalidError.
func (s *Sources) Settings(ctx context.Context, given map[string]any, change Change) (map[string]any, error) {
	of := s.Schemas.Settings
	if of == nil {
		if len(given) == 0 {
			return map[string]any{}, nil
		}
		return nil, fmt.Errorf("the package has no schema of settings (openapi/settings.yaml), so none can be set; found %s",
			strings.Join(slices.Sorted(maps.Keys(given)), ", "))
	}
	effective := of.Effective(given, s.Catalogues)
	check := schema.Check{}
	if !change.NewVersion {
		check.Old = change.Applied
	}
	if err := of.Validate(ctx, effective, check); err != nil {
		return nil, err
	}
	if err := both(of.Granted(effective, s.Catalogues), of.Frozen(change.Applied, effective)); err != nil {
		return nil, err
	}
	return effective, nil
}

// both joins the faults of two checks.
func both(a, b error) error {
	var first, second *schema.InvalidError
	if errors.As(a, &first) && errors.As(b, &second) {
		return &schema.InvalidError{Kind: first.Kind, Faults: append(slices.Clone(first.Faults), second.Faults...)}
	}
	return errors.Join(a, b)
}

// Computed are values with what made them.
type Computed struct {
	Values map[string]any
	// Skipped counts the steps of patches whose path is not there any more.
	Skipped int
}

// Values lays effective settings, defaults and the patches so far over one another.
// It doesn't validate: see Check.
func (s *Sources) Values(settings map[string]any, patches output.ValuesPatch) (Computed, error) {
	values := merge(s.Static, settings)
	if s.Schemas.Values != nil {
		values = s.Schemas.Values.Default(values)
	}
	replayed, skipped, err := patches.Replay(values)
	if err != nil {
		return Computed{}, fmt.Errorf("replay the patches of hooks: %w", err)
	}
	return Computed{Values: replayed, Skipped: skipped}, nil
}

// Check holds values against their schema; a package without one accepts all.
func (s *Sources) Check(ctx context.Context, values map[string]any, check schema.Check) error {
	if s.Schemas.Values == nil {
		return nil
	}
	return s.Schemas.Values.Validate(ctx, values, check)
}

// Patch applies what a hook has just written. Values that stay equal are no
// change.
func (s *Sources) Patch(ctx context.Context, values map[string]any, patch output.ValuesPatch) (next map[string]any, changed bool, err error) {
	next, err = patch.Apply(values)
	if err != nil {
		return nil, false, err
	}
	if object.Equal(values, next) {
		return values, false, nil
	}
	if err := s.Check(ctx, next, schema.Check{Old: values}); err != nil {
		return nil, false, fmt.Errorf("values patch: %w", err)
	}
	return next, true, nil
}

// merge lays over upon base: maps are merged, everything else is replaced.
func merge(base, over map[string]any) map[string]any {
	out := object.Object{Body: base}.DeepCopy().Body
	if out == nil {
		out = map[string]any{}
	}
	for key, value := range (object.Object{Body: over}).DeepCopy().Body {
		below, isMap := out[key].(map[string]any)
		above, bothMaps := value.(map[string]any)
		if isMap && bothMaps {
			out[key] = merge(below, above)
			continue
		}
		out[key] = value
	}
	return out
}
