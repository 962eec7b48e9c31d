package helmfile

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
)

// HintFile says which variables a helmfile takes. It lies beside it.
const HintFile = "tazuna.hint.yaml"

// Hint is a hint file: the variables that a helmfile takes, and what must hold
// for them.
type Hint struct {
	Path string
	// Vars are in the order of the file.
	Vars []HintVar
	// Rules are conditions on several variables.
	Rules []HintRule
}

// HintVar describes a variable.
type HintVar struct {
	Name string
	// Type is string, slice or map.
	Type     string
	Required bool
	// Default is the value where none is given; nil is none, and then the zero
	// value of the type is taken.
	Default any
	// Format is what a string has to look like unless it is empty.
	Format string
	// RequiredWith and RequiredWithout make the variable required if one of the
	// former is given, or none of the latter.
	RequiredWith, RequiredWithout []string
	Line                          int
}

// HintRule wants at least one of the variables.
type HintRule struct {
	Vars    []string
	Message string
}

// Complete holds the given variables against the hint and adds defaults. Only what
// was given counts for conditions. The error has everything that is wrong, by
// name, and no value.
func (h *Hint) Complete(given Values) (Values, error) {
	var errs []error
	fault := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: %s", h.Path, fmt.Sprintf(format, args...)))
	}
	var out Values
	for name, value := range given.all {
		_, secret := given.secret[name]
		out.Set(name, value, secret)
	}
	for _, v := range h.Vars {
		value, ok := given.Get(v.Name)
		switch {
		case ok:
			if err := v.check(value); err != nil {
				fault("var %s: %v", v.Name, err)
			}
			continue
		case v.Required:
			fault("var %s is required", v.Name)
		case v.wanted(given) != "":
			fault("var %s is required %s", v.Name, v.wanted(given))
		}
		out.Set(v.Name, v.value(), false)
	}
	for _, rule := range h.Rules {
		if !slices.ContainsFunc(rule.Vars, given.has) {
			fault("%s", rule.text())
		}
	}
	return out, errors.Join(errs...)
}

func (v Values) has(name string) bool {
	_, ok := v.all[name]
	return ok
}

func (r HintRule) text() string {
	if r.Message != "" {
		return r.Message
	}
	return "one of the vars " + quotedNames(r.Vars) + " is required"
}

// wanted says why a variable that is not given is required; empty if it is not.
func (v HintVar) wanted(given Values) string {
	for _, other := range v.RequiredWith {
		if given.has(other) {
			return "because " + other + " is given"
		}
	}
	if len(v.RequiredWithout) > 0 && !slices.ContainsFunc(v.RequiredWithout, given.has) {
		return "because none of " + quotedNames(v.RequiredWithout) + " is given"
	}
	return ""
}

// value is what the variable has where it is not given.
func (v HintVar) value() any {
	switch {
	case v.Default != nil:
		return v.Default
	case v.Type == "slice":
		return []any{}
	case v.Type == "map":
		return map[string]any{}
	}
	return ""
}

// check holds a value against type and format.
func (v HintVar) check(value any) error {
	found := typeOf(value)
	if found != v.Type {
		return fmt.Errorf("wanted a %s, found a %s", v.Type, found)
	}
	text, _ := value.(string)
	if v.Format == "" || text == "" {
		return nil
	}
	if !formats()[v.Format](text) {
		return fmt.Errorf("the value is no %s", v.Format)
	}
	return nil
}

func typeOf(value any) string {
	switch value.(type) {
	case string:
		return "string"
	case []any:
		return "slice"
	case map[string]any:
		return "map"
	}
	return fmt.Sprintf("%T", value)
}

// ParseHint reads a hint file.
func ParseHint(text []byte, path string, lenient bool) (*Hint, error) {
	h := &Hint{Path: path}
	_, err := config.ReadDocument(text, path, "a hint file with vars", lenient, func(r config.Reader, root *yaml.Node) {
		hintReader{r, h}.root(root)
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

// hintReader reads the document.
type hintReader struct {
	config.Reader
	hint *Hint
}

func (r hintReader) root(n *yaml.Node) {
	ignore := func(*yaml.Node, string) {}
	var rules []*yaml.Node
	r.Mapping(n, "",
		config.Field{Key: "apiVersion", Read: ignore},
		config.Field{Key: "kind", Read: ignore},
		config.Field{Key: "vars", Read: func(v *yaml.Node, at string) {
			r.Entries(v, at, func(key, value *yaml.Node, at string) {
				r.hint.Vars = append(r.hint.Vars, r.variable(key.Value, value, at))
			})
		}},
		config.Field{Key: "rules", Read: func(v *yaml.Node, at string) {
			r.List(v, at, func(v *yaml.Node, at string) {
				rules = append(rules, v)
				r.hint.Rules = append(r.hint.Rules, r.rule(v, at))
			})
		}},
	)
	r.references(rules)
}

func (r hintReader) variable(name string, n *yaml.Node, at string) HintVar {
	v := HintVar{Name: name, Line: r.Line(n)}
	before := r.Findings()
	r.Mapping(n, at,
		config.Field{Key: "type", Read: func(n *yaml.Node, at string) { v.Type = r.OneOf(n, at, "string", "slice", "map") }},
		config.Field{Key: "required", Read: func(n *yaml.Node, at string) { v.Required = r.Bool(n, at) }},
		config.Field{Key: "default", Read: func(n *yaml.Node, at string) { v.Default = r.anything(n, at) }},
		config.Field{Key: "description", Read: func(n *yaml.Node, at string) { r.Text(n, at) }},
		config.Field{Key: "format", Read: func(n *yaml.Node, at string) {
			v.Format = r.OneOf(n, at, slices.Sorted(maps.Keys(formats()))...)
		}},
		config.Field{Key: "required_with", Read: func(n *yaml.Node, at string) { v.RequiredWith = r.Texts(n, at) }},
		config.Field{Key: "required_without", Read: func(n *yaml.Node, at string) { v.RequiredWithout = r.Texts(n, at) }},
	)
	if r.Findings() == before {
		r.consistent(n, at, v)
	}
	return v
}

// consistent reports what contradicts itself.
func (r hintReader) consistent(n *yaml.Node, at string, v HintVar) {
	conditional := len(v.RequiredWith)+len(v.RequiredWithout) > 0
	switch {
	case v.Type == "":
		r.Missing(n, at, "type")
	case v.Required && v.Default != nil:
		r.Found(n, at, "a required variable has no default")
	case v.Required && conditional:
		r.Found(n, at, "a required variable has no conditions under which it is required")
	case v.Format != "" && v.Type != "string":
		r.Found(n, at, "format is for strings, the variable is a %s", v.Type)
	case v.Default != nil:
		if err := v.check(v.Default); err != nil {
			r.Found(n, at+".default", "%v", err)
		}
	}
}

func (r hintReader) anything(n *yaml.Node, at string) any {
	var value any
	if err := yaml.Unmarshal(r.Source(n, at), &value); err != nil {
		r.Found(n, at, "%v", err)
	}
	return value
}

func (r hintReader) rule(n *yaml.Node, at string) HintRule {
	rule, kind := HintRule{}, ""
	before := r.Findings()
	r.Mapping(n, at,
		config.Field{Key: "type", Read: func(v *yaml.Node, at string) { kind = r.OneOf(v, at, "oneof_required") }},
		config.Field{Key: "vars", Read: func(v *yaml.Node, at string) { rule.Vars = r.Texts(v, at) }},
		config.Field{Key: "message", Read: func(v *yaml.Node, at string) { rule.Message = r.Text(v, at) }},
	)
	switch {
	case r.Findings() > before:
	case kind == "":
		r.Missing(n, at, "type")
	case len(rule.Vars) < 2:
		r.Found(n, at, "wanted two or more vars, found %d", len(rule.Vars))
	}
	return rule
}

// references reports names of variables that are not declared.
func (r hintReader) references(rules []*yaml.Node) {
	declared := func(name string) bool {
		return slices.ContainsFunc(r.hint.Vars, func(v HintVar) bool { return v.Name == name })
	}
	for _, v := range r.hint.Vars {
		for _, other := range slices.Concat(v.RequiredWith, v.RequiredWithout) {
			if !declared(other) {
				r.Found(&yaml.Node{Line: v.Line}, "vars."+v.Name, "no variable is named %q", other)
			}
		}
	}
	for i, rule := range r.hint.Rules {
		for _, other := range rule.Vars {
			if !declared(other) {
				r.Found(rules[i], fmt.Sprintf("rules[%d]", i), "no variable is named %q", strings.TrimSpace(other))
			}
		}
	}
}
