package config

import (
	"fmt"
	"regexp"
	"strings"
)

// ContextError says that the selected context is not one the file is meant for.
type ContextError struct {
	// File and Line are where context_matches stands.
	File string
	Line int
	// Selected is the name of the context that was about to be used.
	Selected string
	// Patterns and Mode are what the file asks for.
	Patterns []string
	Mode     MatchMode
}

// Error names the context, the patterns and the way out.
func (e *ContextError) Error() string {
	wanted := "one of"
	if e.Mode == MatchAnd {
		wanted = "all of"
	}
	what := fmt.Sprintf("context %q is refused", e.Selected)
	if e.Selected == "" {
		what = "a run without a context is refused"
	}
	return fmt.Sprintf("%s:%d: %s: context_matches wants %s: %s; select another with --context",
		e.File, e.Line, what, wanted, strings.Join(e.Patterns, ", "))
}

// CheckContext is the guard against the wrong cluster. selected is the name of
// the context that the run really uses, whichever flag or file chose it; empty if
// there is none. The error is a *ContextError. A file without context_matches
// lets every context pass.
func (f *File) CheckContext(selected string) error {
	spec := f.Tazuna.Spec
	if len(spec.ContextMatches) == 0 {
		return nil
	}
	matches := 0
	for _, p := range spec.ContextMatches {
		pattern, err := regexp.Compile(p)
		if err != nil {
			return fmt.Errorf("%s:%d: context_matches: %w", f.Path, f.guardLine, err)
		}
		if pattern.MatchString(selected) {
			matches++
		}
	}
	if matches == len(spec.ContextMatches) || spec.ContextMatchMode != MatchAnd && matches > 0 {
		return nil
	}
	return &ContextError{
		File: f.Path, Line: f.guardLine, Selected: selected,
		Patterns: spec.ContextMatches, Mode: spec.ContextMatchMode,
	}
}
