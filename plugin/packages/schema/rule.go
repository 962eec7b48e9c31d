package schema

import (
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
)

// rule is one CEL rule at a place of the schema.
type rule struct {
	at         pointer
	expression string
	message    string
	// computed is an expression that gives the message; "" is none.
	computed  string
	fieldPath string
	// optionalOld binds oldSelf also where there is no old value.
	optionalOld bool
	// platform: a rule of x-deckhouse-validations, see the doc of the package.
	platform bool

	typed, untyped *program // at least one, once compiled
	misfit         string   // why it has no types, "" if it has
}

// rulesOf reads the rules of a node.
func (b *builder) rulesOf(n *node) {
	r := &ruleReader{builder: b, node: n}
	r.list(rulesKey, r.platformRule)
	r.list(kubeRulesKey, r.kubeRule)
	if len(n.rules) > 0 && slices.ContainsFunc(n.at, neverAsked) {
		b.warn(n.at, "rules in a branch of anyOf, oneOf or not are never asked")
	}
}

func neverAsked(key string) bool { return key == "anyOf" || key == "oneOf" || key == "not" }

type ruleReader struct {
	*builder
	node *node
}

func (r *ruleReader) list(key string, read func(map[string]any, *document.Reader) *rule) {
	value, given := r.node.raw[key]
	if !given {
		return
	}
	reader := &document.Reader{}
	reader.List(value, "", func(item any, at string) {
		here := r.node.at.to(key, indexOf(at))
		entry, isMap := item.(map[string]any)
		if !isMap {
			reader.Found(at, "wanted a rule, found %s", document.KindOf(item))
			return
		}
		made := read(entry, reader)
		made.at = here
		r.node.rules = append(r.node.rules, made)
	})
	for _, f := range reader.Findings {
		r.fault(r.node.at.to(key), "%s", f)
	}
}

// indexOf takes the number out of "[3]".
func indexOf(at string) string { return at[1 : len(at)-1] }

func (r *ruleReader) platformRule(entry map[string]any, reader *document.Reader) *rule {
	made := &rule{platform: true}
	reader.Mapping(entry, "", []document.Field{
		{Key: "expression", Read: func(v any, at string) { made.expression = reader.Filled(v, at) }},
		{Key: "message", Read: func(v any, at string) { made.message = reader.Filled(v, at) }},
	})
	for _, key := range []string{"expression", "message"} {
		if entry[key] == nil {
			reader.Found("", "%s is missing", key)
		}
	}
	return made
}

func (r *ruleReader) kubeRule(entry map[string]any, reader *document.Reader) *rule {
	made := &rule{}
	reader.Mapping(entry, "", []document.Field{
		{Key: "rule", Read: func(v any, at string) { made.expression = reader.Filled(v, at) }},
		{Key: "message", Read: func(v any, at string) { made.message = reader.Filled(v, at) }},
		{Key: "messageExpression", Read: func(v any, at string) { made.computed = reader.Filled(v, at) }},
		{Key: "reason", Read: func(v any, at string) { reader.Filled(v, at) }},
		{Key: "fieldPath", Read: func(v any, at string) { made.fieldPath = reader.Filled(v, at) }},
		{Key: "optionalOldSelf", Read: func(v any, at string) { made.optionalOld = reader.Truth(v, at) }},
	})
	if entry["rule"] == nil {
		reader.Found("", "rule is missing")
	}
	if made.message == "" {
		made.message = "the rule doesn't hold: " + made.expression
	}
	return made
}
