package schema

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRules(t *testing.T) {
	tests := map[string]struct{ schema, given, want string }{
		"holds":    {"properties: {a: {type: integer}, b: {type: integer}}\nx-deckhouse-validations: [{expression: 'self.a <= self.b', message: a beyond b}]", "{a: 1, b: 2}", ""},
		"fails":    {"properties: {a: {type: integer}, b: {type: integer}}\nx-deckhouse-validations: [{expression: 'self.a <= self.b', message: a beyond b}]", "{a: 3, b: 2}", "a beyond b (openapi/settings.yaml:3)"},
		"kube":     {"properties: {a: {type: integer}}\nx-kubernetes-validations: [{rule: 'self.a % 2 == 1', message: odd ones, fieldPath: .a}]", "{a: 2}", "a: odd ones (openapi/settings.yaml:3)"},
		"no words": {"properties: {a: {type: integer}}\nx-kubernetes-validations: [{rule: 'self.a > 5'}]", "{a: 2}", "the rule doesn't hold: self.a > 5"},
		"computed": {"properties: {a: {type: integer}}\nx-kubernetes-validations: [{rule: 'self.a > 5', messageExpression: \"'found ' + string(self.a)\"}]", "{a: 2}", "found 2"},
		"of a secret": {
			"properties: {a: {type: string, format: password}}\nx-kubernetes-validations: [{rule: 'size(self.a) < 5', message: too long, messageExpression: 'self.a'}]",
			"{a: " + secret + "}", "too long",
		},
		"of a property":       {"properties: {a: {type: string, x-deckhouse-validations: [{expression: 'size(self) < 3', message: too long}]}}", "{a: long}", "a: too long"},
		"in items":            {"properties: {l: {type: array, items: {type: object, properties: {v: {type: integer}}, x-deckhouse-validations: [{expression: 'self.v > 1', message: too small}]}}}", "{l: [{v: 2}, {v: 1}]}", "l[1]: too small"},
		"in a map":            {"properties: {m: {type: object, additionalProperties: {type: integer, x-deckhouse-validations: [{expression: 'self > 1', message: too small}]}}}", "{m: {a: 2, b: 1}}", "m.b: too small"},
		"by pattern":          {"properties: {m: {type: object, patternProperties: {^b: {type: integer, x-deckhouse-validations: [{expression: 'self > 1', message: too small}]}}}}", "{m: {b: 1}}", "m.b: too small"},
		"in allOf":            {"properties: {a: {type: integer}}\nallOf: [{type: object, properties: {a: {type: integer}}, x-deckhouse-validations: [{expression: 'self.a > 1', message: too small}]}]", "{a: 1}", "too small"},
		"of a reference":      {"definitions: {d: {type: integer, x-deckhouse-validations: [{expression: 'self > 1', message: too small}]}}\nproperties: {a: {$ref: '#/definitions/d'}, b: {$ref: '#/definitions/d'}}", "{a: 1, b: 2}", "a: too small"},
		"not there":           {"properties: {a: {type: integer}, b: {type: integer}}\nx-deckhouse-validations: [{expression: 'self.a <= self.b', message: a beyond b}]", "{a: 3}", ""},
		"not there, kube":     {"properties: {a: {type: integer}}\nx-kubernetes-validations: [{rule: 'self.a > 5'}]", "{}", "the rule can't be evaluated: no such key"},
		"has":                 {"properties: {a: {type: integer}}\nx-deckhouse-validations: [{expression: 'has(self.a)', message: needs a}]", "{}", "needs a"},
		"types first":         {"properties: {a: {type: string}}\nx-deckhouse-validations: [{expression: 'self.a > 5', message: m}]", "{a: 1}", "a: wanted string, found number"},
		"as doubles":          {"properties: {a: {type: integer}}\nx-deckhouse-validations: [{expression: 'self.a * 2.0 < 5.0', message: too large}]", "{a: 3}", "too large"},
		"pattern properties":  {"properties: {m: {type: object, patternProperties: {.*: {type: integer}}}}\nx-deckhouse-validations: [{expression: 'self.m.all(k, self.m[k] > 1.0)', message: too small}]", "{m: {a: 1}}", "too small"},
		"division":            {"properties: {a: {type: integer}}\nx-deckhouse-validations: [{expression: '10 / self.a > 1', message: m}]", "{a: 0}", "the rule can't be evaluated: division by zero"},
		"fractions":           {"properties: {a: {type: number}}\nx-deckhouse-validations: [{expression: 'self.a < 0.5', message: too large}]", "{a: 0.75}", "too large"},
		"reference with more": {"definitions: {d: {type: integer, x-deckhouse-validations: [{expression: 'self > 1', message: too small}]}}\nproperties: {a: {$ref: '#/definitions/d', default: 1}}", "{a: 1}", "a: too small"},
		"recursive":           {"definitions: {t: {type: object, properties: {v: {type: integer}, l: {$ref: '#/definitions/t'}}, x-deckhouse-validations: [{expression: 'self.v > 1', message: too small}]}}\nproperties: {t: {$ref: '#/definitions/t'}}", "{t: {v: 2, l: {v: 1}}}", "t.l: too small"},
		"int or string":       {"properties: {a: {x-kubernetes-int-or-string: true}}\nx-kubernetes-validations: [{rule: 'type(self.a) == int', message: no text}]", "{a: b}", "no text"},
		"libraries":           {"properties: {a: {type: string}}\nx-deckhouse-validations: [{expression: 'isURL(self.a) && url(self.a).getScheme() == \"https\"', message: https only}]", "{a: 'http://x'}", "https only"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := settings(t, "type: object\n"+test.schema+"\n").Validate(t.Context(), value(t, test.given), Check{})
			if test.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, "settings: "+test.want)
			assert.NotContains(t, err.Error(), secret)
		})
	}
}

func TestRulesWithOldSelf(t *testing.T) {
	s := settings(t, `
type: object
properties:
  replicas: {type: integer}
  new: {type: object, properties: {size: {type: integer}}, x-deckhouse-validations: [{expression: "self.size >= oldSelf.size", message: it only grows}]}
  list: {type: array, items: {type: integer, x-deckhouse-validations: [{expression: "self == oldSelf", message: never asked}]}}
  map: {type: object, additionalProperties: {type: integer, x-deckhouse-validations: [{expression: "self >= oldSelf", message: it only grows}]}}
  first: {type: integer, x-kubernetes-validations: [{rule: "oldSelf.hasValue() || self == 1", message: begin with 1, optionalOldSelf: true}]}
x-deckhouse-validations:
- {expression: "self.replicas >= oldSelf.replicas - 1", message: one at a time}
- {expression: "self.replicas * 1.0 >= oldSelf.replicas - 1.0", message: "one at a time, as doubles"}
`)
	tests := map[string]struct{ old, new, want string }{
		"installation":  {"", "{replicas: 1}", ""},
		"fits":          {"{replicas: 3}", "{replicas: 2}", ""},
		"doesn't":       {"{replicas: 3}", "{replicas: 1}", "one at a time"},
		"new part":      {"{replicas: 1}", "{replicas: 1, new: {size: 1}}", ""},
		"smaller part":  {"{replicas: 1, new: {size: 2}}", "{replicas: 1, new: {size: 1}}", "new: it only grows"},
		"items":         {"{replicas: 1, list: [1]}", "{replicas: 1, list: [2]}", ""},
		"entry":         {"{replicas: 1, map: {a: 2}}", "{replicas: 1, map: {a: 1, b: 0}}", "map.a: it only grows"},
		"optional":      {"", "{replicas: 1, first: 2}", "first: begin with 1"},
		"optional, old": {"{replicas: 1, first: 1}", "{replicas: 1, first: 2}", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := s.Validate(t.Context(), value(t, test.new), Check{Old: value(t, test.old)})
			if test.want == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, test.want)
			}
		})
	}
}

// TestRulesThatCostTooMuch: a rule that looks for much in a long text is cut off.
func TestRulesThatCostTooMuch(t *testing.T) {
	s := settings(t, `
type: object
properties: {a: {type: string}}
x-deckhouse-validations: [{expression: "!self.a.matches('(a|b)*(c|d)*(e|f)*(g|h)*x') && !self.a.matches('(a|b)*(c|d)*(e|f)*(g|h)*z')", message: m}]
`)
	long := map[string]any{"a": strings.Repeat("i", 1<<20)}
	assert.ErrorContains(t, s.Validate(t.Context(), long, Check{}), "cost")
}

// TestRulesThatFailOnThePlatform: what holds here and not there is a warning.
func TestRulesThatFailOnThePlatform(t *testing.T) {
	const numbers = "the platform can't evaluate this rule, because all numbers are doubles there"
	tests := map[string]string{
		"self.a % 2 == 1":                      numbers,
		"self.a >= oldSelf.a - 2":              numbers,
		"self.l.all(i, i + 1 > 0)":             numbers,
		"int(self.a) % 2 == 1":                 "",
		"self.a >= oldSelf.a - 2.0":            "",
		"self.a > 1 && self.s.startsWith('e')": "",
		"!has(self.s) || size(self.s) > 1":     "",
		"isURL(self.s)":                        "the platform doesn't compile this rule: ",
		"self.absent > 1":                      "the rule asks for absent, which is not declared: it holds whatever the values are",
	}
	for expression, want := range tests {
		_, findings := Load(settingsFile(`
type: object
properties: {a: {type: integer}, s: {type: string}, l: {type: array, items: {type: integer}}}
x-deckhouse-validations:
- {expression: "`+expression+`", message: m}
`), nil)
		if want == "" {
			assert.Empty(t, findings, expression)
		} else {
			assert.Contains(t, lines(findings), "openapi/settings.yaml:5: warning: x-deckhouse-validations[0]: "+want, expression)
		}
	}
	_, findings := Load(settingsFile("properties: {a: {type: integer}}\nx-kubernetes-validations: [{rule: 'self.a % 2 == 1'}]\n"), nil)
	assert.Empty(t, findings, "those are Kubernetes' own")
}
