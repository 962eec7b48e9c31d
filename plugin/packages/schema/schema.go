package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
)

// Kind says what a schema is of. It is part of texts.
type Kind string

// The two schemas of a package.
const (
	Settings Kind = "settings"
	Values   Kind = "values"
)

// Schema is a schema that is ready to use. It is immutable and safe for concurrent
// use.
type Schema struct {
	kind   Kind
	source *source
	root   *node
	// always and rendering are the compiled schema without and with what
	// x-required-for-helm requires.
	always, rendering *jsonschema.Schema
	// besides are the settings that a schema of values leaves out, by name.
	besides map[string]*node
}

// Set are the schemas of a package; nil: the package has none.
type Set struct {
	Settings *Schema
	Values   *Schema
}

// Load makes schemas of the files of a bundle; either may be nil. With an Error
// among the findings the schema of that file is nil.
func Load(settings, values *bundle.File) (Set, []bundle.Finding) {
	var set Set
	var findings []bundle.Finding
	var parent *source
	if settings != nil {
		parent, findings = readSource(*settings)
		if parent != nil && parent.raw[extendKey] != nil {
			findings = append(findings, parent.finding(bundle.Error, pointer{extendKey}, "only the schema of values can extend another one"))
		} else if parent != nil {
			var more []bundle.Finding
			set.Settings, more = compile(Settings, parent)
			findings = append(findings, more...)
		}
	}
	if values == nil {
		return set, findings
	}
	child, more := readSource(*values)
	findings = append(findings, more...)
	if child == nil {
		return set, findings
	}
	child, more = child.extend(parent, settings != nil)
	findings = append(findings, more...)
	if bundle.AsError(more) == nil {
		set.Values, more = compile(Values, child)
		findings = append(findings, more...)
		findings = append(findings, set.leftOut()...)
	}
	return set, unique(findings)
}

// leftOut warns of settings that the schema of values doesn't allow. They are part
// of the values, so that no hook could change anything.
func (s Set) leftOut() []bundle.Finding {
	if s.Settings == nil || s.Values == nil || s.Values.root.open {
		return nil
	}
	var names []string
	for _, name := range s.Settings.Properties() {
		if len(s.Values.root.of(name)) == 0 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	s.Values.besides = s.Settings.root.properties
	return []bundle.Finding{s.Values.source.finding(bundle.Warning, nil,
		"the settings are values too, and %s can't be there: extend their schema with x-extend: {schema: settings.yaml}",
		strings.Join(names, ", "))}
}

// Open is a schema that allows everything, for a package without one.
func Open(kind Kind) *Schema {
	s, _ := compile(kind, &source{
		file: string(kind), raw: map[string]any{"type": "object", "additionalProperties": true},
	})
	return s
}

// compile makes everything that use of the schema needs.
func compile(kind Kind, src *source) (*Schema, []bundle.Finding) {
	b := &builder{source: src, made: map[string]*node{}}
	s := &Schema{kind: kind, source: src, root: b.node(pointer{}, src.raw)}
	findings := b.findings
	if bundle.AsError(findings) == nil {
		findings = append(findings, s.checkDefaults(b.all)...)
	}
	if bundle.AsError(findings) == nil {
		findings = append(findings, s.compileDocuments(b.requiredForHelm)...)
	}
	if bundle.AsError(findings) == nil {
		findings = append(findings, s.compileRules(b.all)...)
	}
	if bundle.AsError(findings) == nil {
		findings = append(findings, s.checkPortable(b.all)...)
	}
	if bundle.AsError(findings) != nil {
		return nil, findings
	}
	return s, findings
}

// unique drops findings that both schemas have, since one holds the other.
func unique(findings []bundle.Finding) []bundle.Finding {
	seen := map[bundle.Finding]bool{}
	var once []bundle.Finding
	for _, f := range findings {
		if !seen[f] {
			seen[f] = true
			once = append(once, f)
		}
	}
	return once
}

// Properties lists the names that the top level declares, sorted.
func (s *Schema) Properties() []string {
	return slices.Sorted(maps.Keys(s.root.properties))
}

// RequiresForRendering tells whether anything is required only when templates are
// rendered: see Check.Rendering.
func (s *Schema) RequiresForRendering() bool { return s.rendering != nil }
