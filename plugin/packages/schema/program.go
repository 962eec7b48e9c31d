package schema

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
)

// program is a compiled rule.
type program struct {
	rule    cel.Program
	message cel.Program // nil is none
	usesOld bool
	// shape gives values their types; nil: values are without types.
	shape *structural.Structural
}

// compileRules makes programs of all rules.
func (s *Schema) compileRules(nodes []*node) []bundle.Finding {
	base := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	var findings []bundle.Finding
	for _, n := range nodes {
		if len(n.rules) == 0 {
			continue
		}
		shape := shapeOf(n)
		for _, r := range n.rules {
			if err := r.compile(base, shape); err != nil {
				findings = append(findings, s.source.finding(bundle.Error, r.at, "%v", err))
			}
		}
	}
	return findings
}

func (r *rule) compile(base *environment.EnvSet, shape *structural.Structural) error {
	var err error
	if r.typed, err = compileTyped(r, base, shape); err == nil || !r.platform {
		return err
	}
	r.misfit = err.Error()
	var untypedErr error
	if r.untyped, untypedErr = compileUntyped(r.expression, base); untypedErr != nil {
		return untypedErr
	}
	return nil
}

// compileTyped compiles a rule as the API server does that of a
// CustomResourceDefinition.
func compileTyped(r *rule, base *environment.EnvSet, shape *structural.Structural) (*program, error) {
	with := *shape
	with.XValidations = apiextensions.ValidationRules{{
		Rule: r.expression, Message: r.message, MessageExpression: r.computed, OptionalOldSelf: &r.optionalOld,
	}}
	results, err := schemacel.Compile(&with, model.SchemaDeclType(&with, false), celconfig.PerCallLimit,
		base, schemacel.StoredExpressionsEnvLoader())
	switch {
	case err != nil:
		return nil, err
	case results[0].Error != nil:
		return nil, errors.New(oneLine(results[0].Error.Detail))
	case results[0].MessageExpressionError != nil:
		return nil, errors.New(oneLine(results[0].MessageExpressionError.Detail))
	}
	return &program{
		rule: results[0].Program, message: results[0].MessageExpression,
		usesOld: results[0].UsesOldSelf, shape: shape,
	}, nil
}

// compileUntyped compiles a rule over values without types.
func compileUntyped(expression string, base *environment.EnvSet) (*program, error) {
	set, err := base.Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions: []cel.EnvOption{
			cel.Variable(schemacel.ScopedVarName, cel.DynType),
			cel.Variable(schemacel.OldScopedVarName, cel.DynType),
		},
	})
	if err != nil {
		return nil, fmt.Errorf("set up CEL: %w", err)
	}
	env := set.StoredExpressionsEnv()
	ast, issues := env.Compile(expression)
	if err := issues.Err(); err != nil {
		return nil, fmt.Errorf("compilation failed: %s", oneLine(err.Error()))
	}
	if out := ast.OutputType(); !out.IsExactType(cel.BoolType) && !out.IsExactType(cel.DynType) {
		return nil, fmt.Errorf("wanted an expression that is true or false, found one of type %s", out)
	}
	made, err := env.Program(ast, cel.CostLimit(celconfig.PerCallLimit), cel.EvalOptions(cel.OptTrackCost),
		cel.InterruptCheckFrequency(celconfig.CheckFrequency))
	if err != nil {
		return nil, fmt.Errorf("prepare the expression: %w", err)
	}
	checked, err := cel.AstToCheckedExpr(ast)
	if err != nil {
		return nil, fmt.Errorf("prepare the expression: %w", err)
	}
	p := &program{rule: made}
	for _, ref := range checked.GetReferenceMap() {
		p.usesOld = p.usesOld || ref.GetName() == schemacel.OldScopedVarName
	}
	return p, nil
}

// oneLine leaves out the picture of the expression that the library draws.
func oneLine(text string) string {
	text, _, _ = strings.Cut(text, "\n |")
	return strings.Join(strings.Fields(text), " ")
}

// ask evaluates a program. cost is in CEL's units.
func (p *program) ask(ctx context.Context, of cel.Program, value, old any, optional bool) (result any, cost uint64, err error) {
	bound := map[string]any{schemacel.ScopedVarName: p.value(value)}
	switch {
	case optional && old == nil:
		bound[schemacel.OldScopedVarName] = types.OptionalNone
	case optional:
		bound[schemacel.OldScopedVarName] = types.OptionalOf(types.DefaultTypeAdapter.NativeToValue(p.value(old)))
	case old != nil:
		bound[schemacel.OldScopedVarName] = p.value(old)
	}
	out, details, err := of.ContextEval(ctx, bound)
	if details != nil && details.ActualCost() != nil {
		cost = *details.ActualCost()
	}
	if err != nil {
		return nil, cost, err
	}
	return out.Value(), cost, nil
}

func (p *program) value(v any) any {
	if p.shape == nil {
		return doubles(v)
	}
	return schemacel.UnstructuredToVal(natives(v), p.shape)
}
