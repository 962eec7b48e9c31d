package schema

import (
	"strings"

	"github.com/google/cel-go/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
)

// checkPortable warns of rules that hold here and fail on the platform, which
// compiles them without types and without the libraries of Kubernetes, and sees
// every number as a double: there 3 % 2 and 3 - 1 are no operations. The rules are
// tried with made up values.
func (s *Schema) checkPortable(nodes []*node) []bundle.Finding {
	var findings []bundle.Finding
	for _, n := range nodes {
		if len(n.rules) == 0 {
			continue
		}
		value := (&exampler{left: maxExample}).value(n, nil)
		n.fill(value)
		for _, r := range n.rules {
			if name := r.undeclared(n); name != "" {
				findings = append(findings, s.source.finding(bundle.Warning, r.at,
					"the rule asks for %s, which is not declared: it holds whatever the values are", name))
			}
			if why := r.fails(value); r.platform && why != "" {
				findings = append(findings, s.source.finding(bundle.Warning, r.at, "%s", why))
			}
		}
	}
	return findings
}

// undeclared names a field that a rule asks for and nothing below declares.
func (r *rule) undeclared(n *node) string {
	_, rest, found := strings.Cut(r.misfit, "undefined field '")
	name, _, closed := strings.Cut(rest, "'")
	if !found || !closed || n.declares(name, map[*node]bool{}) {
		return ""
	}
	return name
}

// declares tells whether a property of this name is declared, or may be there
// undeclared, in a schema or below it.
func (n *node) declares(name string, seen map[*node]bool) bool {
	if seen[n] {
		return false
	}
	seen[n] = true
	if n.open || len(n.of(name)) > 0 {
		return true
	}
	for _, below := range n.below() {
		if below.declares(name, seen) {
			return true
		}
	}
	return false
}

// fails says why the platform can't evaluate a rule; "" where it can, or where the
// made up value tells nothing.
func (r *rule) fails(value any) string {
	env, err := cel.NewEnv(cel.Variable("self", platformType(value)), cel.Variable("oldSelf", cel.DynType))
	if err != nil {
		return ""
	}
	ast, issues := env.Compile(r.expression)
	if issues.Err() != nil {
		return "the platform doesn't compile this rule: " + oneLine(issues.Err().Error())
	}
	program, err := env.Program(ast, cel.CostLimit(celconfig.PerCallLimit))
	if err != nil || value == nil {
		return ""
	}
	_, _, err = program.Eval(map[string]any{"self": doubles(value), "oldSelf": doubles(value)})
	if err == nil || !strings.Contains(err.Error(), "no such overload") {
		return ""
	}
	return "the platform can't evaluate this rule, because all numbers are doubles there: write int(…) around them, or 1.0 for 1"
}

func platformType(value any) *cel.Type {
	switch value.(type) {
	case map[string]any:
		return cel.MapType(cel.StringType, cel.DynType)
	case []any:
		return cel.ListType(cel.DynType)
	}
	return cel.DynType
}
