package expression

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
)

// maxCost bounds one evaluation, in CEL's units of work. A loop over a thousand
// conditions needs some ten thousand.
const maxCost = 1_000_000

// maxLength bounds the text of an expression, in bytes.
const maxLength = 4096

// Condition is a compiled expression. It is safe for concurrent use.
type Condition struct {
	text, variable string
	program        cel.Program
}

// Compile reads an expression over self whose result is true or false. The error
// says what is wrong and where in the text.
func Compile(text string) (*Condition, error) { return CompileFor("self", text) }

// CompileFor is Compile with another name for the object.
func CompileFor(variable, text string) (*Condition, error) {
	switch {
	case strings.TrimSpace(text) == "":
		return nil, errors.New("the expression is empty")
	case len(text) > maxLength:
		return nil, fmt.Errorf("the expression has %d bytes, at most %d are allowed", len(text), maxLength)
	}
	env, err := cel.NewEnv(
		cel.Variable(variable, cel.DynType),
		cel.OptionalTypes(),
		cel.CrossTypeNumericComparisons(true),
		cel.DefaultUTCTimeZone(true),
		ext.Strings(),
		ext.Lists(),
	)
	if err != nil {
		return nil, fmt.Errorf("set up CEL: %w", err)
	}
	ast, issues := env.Compile(text)
	if err := issues.Err(); err != nil {
		return nil, fmt.Errorf("not a CEL expression over %s: %w", variable, err)
	}
	if out := ast.OutputType(); !out.IsExactType(cel.BoolType) && !out.IsExactType(cel.DynType) {
		return nil, fmt.Errorf("wanted an expression that is true or false, found one of type %s", out)
	}
	program, err := env.Program(ast, cel.CostLimit(maxCost), cel.EvalOptions(cel.OptOptimize))
	if err != nil {
		return nil, fmt.Errorf("prepare the expression: %w", err)
	}
	return &Condition{text: text, variable: variable, program: program}, nil
}

// Holds evaluates the expression for an object as it is decoded from JSON. The
// error says what can't be told, mostly a field that is not there.
func (c *Condition) Holds(self map[string]any) (bool, error) {
	out, _, err := c.program.Eval(map[string]any{c.variable: self})
	if err != nil {
		return false, err
	}
	holds, ok := out.Value().(bool)
	if !ok {
		return false, fmt.Errorf("wanted true or false, found %s", out.Type())
	}
	return holds, nil
}

// String is the expression as it was written.
func (c *Condition) String() string { return c.text }
