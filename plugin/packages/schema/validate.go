package schema

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Check says under which circumstances values are validated.
type Check struct {
	// Old are the values of before, defaults filled in; nil on installation and
	// on a change of the package's version. Rules with oldSelf need them.
	Old map[string]any
	// Rendering requires also what x-required-for-helm says.
	Rendering bool
}

// Fault is one thing that is wrong with values.
type Fault struct {
	Path string // "users[0].name"; "" is the whole
	Text string // what was wanted and what was found, never the value
	// File and Line are where the schema says so; Line 0 is unknown.
	File string
	Line int
}

// String is one line: "replicas: wanted an integer, found text (openapi/settings.yaml:5)".
func (f Fault) String() string {
	text := f.Text
	if f.Path != "" {
		text = f.Path + ": " + text
	}
	if f.Line > 0 {
		return fmt.Sprintf("%s (%s:%d)", text, f.File, f.Line)
	}
	return text
}

// InvalidError says what is wrong with settings or values.
type InvalidError struct {
	Kind   Kind
	Faults []Fault // at least one, in the order of their paths
}

// mostShown bounds the text of an error.
const mostShown = 20

func (e *InvalidError) Error() string {
	var lines []string
	for _, f := range e.Faults[:min(mostShown, len(e.Faults))] {
		lines = append(lines, f.String())
	}
	if more := len(e.Faults) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	if len(lines) == 1 {
		return string(e.Kind) + ": " + lines[0]
	}
	return fmt.Sprintf("%s: %d problems:\n  %s", e.Kind, len(e.Faults), strings.Join(lines, "\n  "))
}

// Validate holds values against the schema; defaults must have been filled in. A
// fault of the values is an *[InvalidError], another error is that of ctx. Rules
// are asked only about values whose types are right.
func (s *Schema) Validate(ctx context.Context, values map[string]any, check Check) error {
	compiled := s.always
	if check.Rendering && s.rendering != nil {
		compiled = s.rendering
	}
	var whole any = values
	if values == nil {
		whole = map[string]any{}
	}
	faults := s.immense(s.root, nil, whole)
	if len(faults) == 0 {
		faults = s.validate(compiled, whole)
	}
	if len(faults) == 0 {
		var old any
		if check.Old != nil {
			old = check.Old
		}
		var err error
		if faults, err = s.evaluate(ctx, whole, old); err != nil {
			return fmt.Errorf("%s: %w", s.kind, err)
		}
	}
	if len(faults) == 0 {
		return nil
	}
	slices.SortStableFunc(faults, func(a, b Fault) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Text, b.Text)) })
	return &InvalidError{Kind: s.kind, Faults: slices.Compact(faults)}
}

func (s *Schema) validate(compiled *jsonschema.Schema, values any) []Fault {
	var invalid *jsonschema.ValidationError
	err := compiled.Validate(values)
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &invalid):
		return []Fault{{Text: "they can't be checked", File: s.source.file}}
	}
	tellImmense(invalid, values)
	return s.faults(invalid)
}
