package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// guard is one condition on the name of the context.
type guard struct {
	// File and Line are where the patterns stand.
	File string
	Line int
	// Environment is the entry of environments that they belong to, if any.
	Environment string
	Patterns    []string
	Mode        MatchMode
}

// guardOf is an entry of environments.
type guardOf struct {
	name string
	guard
	// hasMode tells a mode that was written from the inherited one.
	hasMode bool
}

// ContextError says that the selected context is not one the file is meant for.
type ContextError struct {
	// File and Line are where context_matches stands.
	File string
	Line int
	// Environment is the entry of environments that it belongs to; may be empty.
	Environment string
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
	of := ""
	if e.Environment != "" {
		of = " of environment " + e.Environment
	}
	return fmt.Sprintf("%s:%d: %s: context_matches%s wants %s: %s; select another with --context",
		e.File, e.Line, what, of, wanted, strings.Join(e.Patterns, ", "))
}

// CheckContext is the guard against the wrong cluster. selected is the name of
// the context that the run really uses, whichever flag or file chose it; empty if
// there is none. The error is a *ContextError. A file without context_matches
// lets every context pass; those of included files hold too.
func (f *File) CheckContext(selected string) error {
	for _, g := range f.guards {
		if err := g.check(selected); err != nil {
			return err
		}
	}
	return nil
}

// Guarded tells whether any context_matches holds for the run.
func (f *File) Guarded() bool { return len(f.guards) > 0 }

func (g guard) check(selected string) error {
	matches := 0
	for _, p := range g.Patterns {
		pattern, err := regexp.Compile(p)
		if err != nil {
			return fmt.Errorf("%s:%d: context_matches: %w", g.File, g.Line, err)
		}
		if pattern.MatchString(selected) {
			matches++
		}
	}
	if matches == len(g.Patterns) || g.Mode != MatchAnd && matches > 0 {
		return nil
	}
	return &ContextError{
		File: g.File, Line: g.Line, Environment: g.Environment, Selected: selected,
		Patterns: g.Patterns, Mode: g.Mode,
	}
}

// Unanchored lists the patterns of context_matches that match any part of a name:
// prod also lets nonprod pass.
func (f *File) Unanchored() []Finding {
	var all []Finding
	for _, g := range f.guards {
		for _, p := range g.Patterns {
			if !strings.ContainsAny(p, "^$") && !strings.Contains(p, `\b`) && !strings.Contains(p, `\A`) {
				all = append(all, Finding{
					File: g.File, Line: g.Line, Field: "context_matches",
					Text: fmt.Sprintf("the pattern %s matches any part of a name, as in %q: write ^ and $ if that is not meant", p, "non"+p),
				})
			}
		}
	}
	return all
}

// patterns reads a list of regular expressions.
func (r *reader) patterns(n *yaml.Node, at string) []string {
	var all []string
	r.list(n, at, func(v *yaml.Node, at string) {
		pattern := r.text(v, at)
		if _, err := regexp.Compile(pattern); err != nil {
			r.found(v.Line, at, "%v", err)
		}
		all = append(all, pattern)
	})
	return all
}

func (r *reader) matchMode(n *yaml.Node, at string) MatchMode {
	mode := MatchMode(r.text(n, at))
	switch mode {
	case "":
		return MatchOr
	case MatchOr, MatchAnd:
	default:
		r.found(n.Line, at, "wanted or, and; found %s", strconv.Quote(string(mode)))
	}
	return mode
}

// environments reads the guards of the environments, in the order of the file.
func (d *document) environments(n *yaml.Node, at string) []guardOf {
	var all []guardOf
	d.Entries(n, at, func(key, value *yaml.Node, at string) {
		if strings.TrimSpace(key.Value) == "" {
			d.found(key.Line, at, "the name of an environment is empty")
		}
		g := guardOf{name: key.Value, guard: guard{File: d.file, Line: d.Line(key), Environment: key.Value}}
		if !isNull(value) {
			d.mapping(value, at, []field{
				{"context_matches", func(v *yaml.Node, at string) { g.Line = d.Line(v); g.Patterns = d.patterns(v, at) }},
				{"context_match_mode", func(v *yaml.Node, at string) { g.Mode, g.hasMode = d.matchMode(v, at), d.text(v, at) != "" }},
			})
		}
		all = append(all, g)
	})
	return all
}

// guard decides which patterns guard the run: those of the environment that was
// asked for replace those of the file.
func (d *document) guard(n *yaml.Node, at string, g guard, environments []guardOf) {
	asked := d.loader.options.Environment
	var names []string
	for _, e := range environments {
		names = append(names, e.name)
		if e.name == asked && asked != "" {
			if !e.hasMode {
				e.Mode = g.Mode
			}
			g = e.guard
			asked = ""
		}
	}
	if len(g.Patterns) > 0 {
		d.loader.file.guards = append(d.loader.file.guards, g)
	}
	if d.within != nil {
		return
	}
	s := &d.loader.file.Tazuna.Spec
	s.ContextMatches, s.ContextMatchMode, s.Environments = g.Patterns, g.Mode, names
	if asked == "" {
		return
	}
	report := d.loose // files from before there were environments use -e in the template alone
	if len(names) > 0 {
		report = d.found // the guard of one that is misspelt would be lost
	}
	report(n.Line, join(at, "environments"), "no environment %s, which -e asks for%s", strconv.Quote(asked), didYouMean(asked, names))
}
