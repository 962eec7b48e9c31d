package schema

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// evaluation asks the rules of a schema about one set of values.
type evaluation struct {
	ctx    context.Context //nolint:containedctx // of one walk over values
	schema *Schema
	faults []Fault
	left   int64 // of the cost that all rules together may have
}

// evaluate asks all rules. The error is that of ctx.
func (s *Schema) evaluate(ctx context.Context, values, old any) ([]Fault, error) {
	e := &evaluation{ctx: ctx, schema: s, left: celconfig.RuntimeCELCostBudget}
	e.walk(s.root, nil, values, old)
	return e.faults, ctx.Err()
}

// walk goes through schema and values side by side. Items of lists have no old
// value: nothing says which of the old ones they were.
func (e *evaluation) walk(n *node, path []string, value, old any) {
	if value == nil || e.left <= 0 || e.ctx.Err() != nil {
		return
	}
	for _, r := range n.rules {
		e.ask(r, n, path, value, old)
	}
	for _, b := range n.branches {
		if b.keyword == "allOf" || b.keyword == "$ref" {
			e.walk(b.node, path, value, old)
		}
	}
	switch v := value.(type) {
	case map[string]any:
		oldMap, _ := old.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(v)) {
			for _, p := range n.of(key) {
				e.walk(p, append(path[:len(path):len(path)], key), v[key], oldMap[key])
			}
		}
	case []any:
		for i, item := range v {
			if p := n.ofItem(i); p != nil {
				e.walk(p, append(path[:len(path):len(path)], strconv.Itoa(i)), item, nil)
			}
		}
	}
}

func (e *evaluation) ask(r *rule, n *node, path []string, value, old any) {
	p := r.typed
	if p == nil {
		p = r.untyped
	}
	if p.usesOld && old == nil && !r.optionalOld {
		return
	}
	result, err := e.run(p, p.rule, r, value, old)
	switch {
	case e.ctx.Err() != nil:
	case e.left <= 0:
		e.found(r, path, "the rules cost too much for these values")
	case err != nil && r.platform && strings.Contains(err.Error(), "no such key"):
	case err != nil:
		e.found(r, path, "the rule can't be evaluated: "+reason(err))
	case result != true:
		e.found(r, path, e.message(p, r, n, value, old))
	}
}

func (e *evaluation) run(p *program, of cel.Program, r *rule, value, old any) (any, error) {
	result, cost, err := p.ask(e.ctx, of, value, old, r.optionalOld)
	e.left -= int64(min(cost, celconfig.RuntimeCELCostBudget)) //nolint:gosec // bounded
	return result, err
}

func (e *evaluation) found(r *rule, path []string, text string) {
	at := e.schema.source.placeOf(r.at)
	where := keyOf(path)
	if r.fieldPath != "" {
		where = strings.TrimPrefix(where+"."+strings.TrimPrefix(r.fieldPath, "."), ".")
	}
	e.faults = append(e.faults, Fault{Path: where, Text: text, File: at.file, Line: at.line})
}

// message computes the message of a rule, unless that could show a secret.
func (e *evaluation) message(p *program, r *rule, n *node, value, old any) string {
	if p.message == nil || n.holdsSecret(map[*node]bool{}) {
		return r.message
	}
	text, err := e.run(p, p.message, r, value, old)
	if words, isText := text.(string); err == nil && isText && strings.TrimSpace(words) != "" {
		return words
	}
	return r.message
}

// reason names the kind of a failure. The library's text may hold values.
func reason(err error) string {
	for _, known := range []string{
		"no such key", "no such overload", "index out of bounds", "division by zero", "modulus by zero",
		"integer overflow", "actual cost limit exceeded",
	} {
		if strings.Contains(err.Error(), known) {
			return known
		}
	}
	return "its values don't fit"
}
