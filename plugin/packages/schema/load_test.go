package schema

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLoadFindings(t *testing.T) {
	tests := map[string]struct{ schema, want string }{
		"no YAML":       {"type: [\n", "openapi/settings.yaml:1: error: not YAML: "},
		"key twice":     {"type: object\ntype: object\n", "openapi/settings.yaml:2: error: "},
		"no mapping":    {"- a\n", "openapi/settings.yaml:1: error: wanted a schema, found a list"},
		"type":          {"type: object\nproperties:\n  a:\n    type: text\n", "openapi/settings.yaml:4: error: properties.a.type: wanted one of array, boolean"},
		"no schema":     {"type: object\nproperties:\n  a: text\n", "openapi/settings.yaml:3: error: properties.a: wanted a schema"},
		"pattern":       {"patternProperties:\n  '[': {}\n", "openapi/settings.yaml:2: error: patternProperties.[: no regular expression"},
		"bad pattern":   {"properties:\n  a: {type: string, pattern: '['}\n", "openapi/settings.yaml:2: error: properties.a.pattern: "},
		"unknown word":  {"type: object\nproperties:\n  a:\n    typ: string\n", "openapi/settings.yaml:4: warning: properties.a.typ: unknown keyword, which checks nothing"},
		"reference":     {"properties:\n  a: {$ref: '#/definitions/b'}\n", "openapi/settings.yaml:2: error: properties.a.$ref: wanted a reference into this schema"},
		"elsewhere":     {"properties:\n  a: {$ref: 'https://schemas.example/a'}\n", "openapi/settings.yaml:2: error: properties.a.$ref: wanted a reference into this schema"},
		"to itself":     {"definitions:\n  a: {$ref: '#/definitions/b'}\n  b: {$ref: '#/definitions/a'}\n", "it refers to itself"},
		"extends":       {"x-extend: {schema: values.yaml}\n", "openapi/settings.yaml:1: error: x-extend: only the schema of values can extend another one"},
		"immutable":     {"properties:\n  a: {type: string, x-deckhouse-immutable: 'yes'}\n", "openapi/settings.yaml:2: warning: properties.a.x-deckhouse-immutable: only true counts"},
		"grant":         {"properties:\n  a: {type: integer, x-deckhouse-grantable-resource: storageclasses}\n", "openapi/settings.yaml:2: error: properties.a: a field with x-deckhouse-grantable-resource must have the type string"},
		"rule":          {"x-deckhouse-validations:\n- {expression: 'true'}\n", "openapi/settings.yaml:1: error: x-deckhouse-validations: message is missing"},
		"rule's syntax": {"properties:\n  a: {type: string}\nx-deckhouse-validations:\n- {expression: 'self.a ==', message: m}\n", "openapi/settings.yaml:4: error: x-deckhouse-validations[0]: compilation failed: "},
		"rule's result": {"x-deckhouse-validations:\n- {expression: '1 + 1', message: m}\n", "openapi/settings.yaml:2: error: x-deckhouse-validations[0]: "},
		"kube rule":     {"type: object\nproperties:\n  a: {type: integer}\nx-kubernetes-validations:\n- {rule: 'self.b > 1'}\n", "openapi/settings.yaml:5: error: x-kubernetes-validations[0]: compilation failed: "},
		"never asked":   {"anyOf:\n- properties: {a: {type: string}}\n  x-deckhouse-validations: [{expression: 'true', message: m}]\n", "openapi/settings.yaml:2: warning: anyOf[0]: rules in a branch of anyOf, oneOf or not are never asked"},
		"extension":     {"properties:\n  a: {type: string, x-deckhouse-imutable: true}\n", "openapi/settings.yaml:2: warning: properties.a.x-deckhouse-imutable: unknown extension, which does nothing"},
		"order":         {"properties:\n  a: {type: string, x-deckhouse-ui-order: first}\n", "openapi/settings.yaml:2: warning: properties.a.x-deckhouse-ui-order: wanted a whole number, found text"},
		"resource":      {"properties:\n  a: {type: string, x-deckhouse-ui-resource-name: {kind: Secret}}\n", "x-deckhouse-ui-resource-name: wanted {apiVersion, kind}"},
		"switch":        {"oneOf:\n- x-deckhouse-enum-switch-settings: [{to: [a], impact: bad}]\n", "openapi/settings.yaml:2: warning: oneOf[0].x-deckhouse-enum-switch-settings: wanted a list"},
		"examples":      {"properties:\n  a: {x-examples: b}\n", "openapi/settings.yaml:2: warning: properties.a.x-examples: wanted a list of examples, found text"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, findings := Load(settingsFile(test.schema), nil)
			assert.Contains(t, lines(findings), test.want)
		})
	}
}

// What is done with a schema costs time by the square of its depth, or more.
func TestDepth(t *testing.T) {
	deep := func(levels int) string {
		return strings.Repeat("{type: object, properties: {a: ", levels) + "{type: string}" + strings.Repeat("}}", levels)
	}
	_, findings := Load(settingsFile(deep(30)), nil)
	assert.Empty(t, findings)
	for name, schema := range map[string]string{"properties": deep(1000), "lists": "x-a: " + strings.Repeat("[", 1000) + strings.Repeat("]", 1000)} {
		_, findings = Load(settingsFile(schema), nil)
		assert.Equal(t, "openapi/settings.yaml:1: error: wanted a schema of at most 200 levels, found a deeper one", lines(findings), name)
	}
}

func TestLoadNothing(t *testing.T) {
	set, findings := Load(nil, nil)
	assert.Equal(t, Set{}, set)
	assert.Empty(t, findings)

	set, findings = Load(settingsFile("# nothing yet\n"), nil)
	assert.Empty(t, findings)
	assert.Empty(t, set.Settings.Properties())
	assert.ErrorContains(t, set.Settings.Validate(t.Context(), value(t, "{a: 1}"), Check{}), "a: forbidden property")
}

func TestExtend(t *testing.T) {
	parent := settingsFile(`
title: of the parent
required: [a]
properties:
  a: {type: string}
  both: {type: string}
patternProperties:
  ^x-: {type: integer}
definitions:
  d: {type: boolean}
x-deckhouse-validations: [{expression: "self.a != 'no'", message: not no}]
`)
	set, findings := Load(parent, valuesFile(`
x-extend: {schema: settings.yaml}
type: object
required: [internal]
properties:
  both: {type: integer}
  internal:
    type: object
    properties:
      d: {$ref: '#/definitions/d'}
`))
	require.Empty(t, findings)
	v := set.Values
	assert.Equal(t, []string{"a", "both", "internal"}, v.Properties())
	require.NoError(t, v.Validate(t.Context(), value(t, "{a: b, both: 1, internal: {d: true}, x-1: 2}"), Check{}))
	tests := map[string]string{
		"{both: 1, internal: {}}":          "values: a: is required (openapi/values.yaml:4)",
		"{a: b, both: text, internal: {}}": "values: both: wanted integer, found string (openapi/values.yaml:6)",
		"{a: 'no', internal: {}}":          "values: not no (openapi/settings.yaml:11)",
		"{a: b, internal: {}, x-1: text}":  "values: x-1: wanted integer, found string (openapi/settings.yaml:8)",
		"{a: b, internal: {d: text}}":      "values: internal.d: wanted boolean, found string (openapi/settings.yaml:10)",
		"{a: b, internal: {e: 1}}":         "values: internal.e: forbidden property: it is not declared in the values schema (openapi/values.yaml:7)",
		"{a: 1, internal: {}}":             "values: a: wanted string, found number (openapi/settings.yaml:5)",
	}
	for given, want := range tests {
		assert.EqualError(t, v.Validate(t.Context(), value(t, given), Check{}), want, given)
	}
}

// TestValuesBesideSettings: settings are values too.
func TestValuesBesideSettings(t *testing.T) {
	parent := settingsFile("properties: {a: {type: string}, b: {type: string}, c: {type: string}}\n")
	set, findings := Load(parent, valuesFile("# mine\nproperties: {b: {type: string}, d: {type: string}}\npatternProperties: {^c: {}}\n"))
	assert.Equal(t, "openapi/values.yaml:2: warning: the settings are values too, and a can't be there: extend their schema with x-extend: {schema: settings.yaml}", lines(findings))
	assert.EqualError(t, set.Values.Validate(t.Context(), value(t, "{a: x}"), Check{}),
		"values: a: forbidden property: it is not declared in the values schema, which doesn't extend that of the settings (x-extend) (openapi/values.yaml:2)")

	_, findings = Load(parent, valuesFile("additionalProperties: true\n"))
	assert.Empty(t, findings)
}

func TestExtendFaults(t *testing.T) {
	tests := map[string]struct {
		extend, want string
		withSettings bool
	}{
		"another schema": {"{schema: other.yaml}", `wanted settings.yaml, found "other.yaml"`, true},
		"no schema":      {"{}", "wanted {schema: settings.yaml}", true},
		"text":           {"settings.yaml", "wanted {schema: settings.yaml}", true},
		"no settings":    {"{schema: settings.yaml}", "the package has no schema of settings", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			parent := settingsFile("type: object\n")
			if !test.withSettings {
				parent = nil
			}
			set, findings := Load(parent, valuesFile("x-extend: "+test.extend+"\n"))
			assert.Contains(t, lines(findings), "openapi/values.yaml:1: error: x-extend")
			assert.Contains(t, lines(findings), test.want)
			assert.Nil(t, set.Values)
		})
	}
	set, findings := Load(settingsFile("type: 5\n"), valuesFile("x-extend: {schema: settings.yaml}\n"))
	assert.Nil(t, set.Settings)
	assert.NotNil(t, set.Values, "what is wrong with the settings is not part of it")
	assert.Contains(t, lines(findings), "openapi/settings.yaml:1: error: type: ")
}

// TestNoFindings: what forms and clusters need is none of our business.
func TestNoFindings(t *testing.T) {
	_, findings := Load(settingsFile(`
type: object
properties:
  mode: {type: string, enum: [a, b], x-deckhouse-ui-order: 1, x-deckhouse-ui-group: g, x-deckhouse-ui-advanced: true, x-deckhouse-ui-validation-message: m}
  secret: {type: string, x-deckhouse-ui-resource-name: {apiVersion: v1, kind: Secret, labelSelector: {}}, x-anything: {else: 1}}
  port: {x-kubernetes-int-or-string: true}
oneOf:
- properties: {mode: {enum: [a]}}
  x-deckhouse-enum-switch-settings: [{to: [b], impact: destructive, messages: {en: sure}}]
- properties: {mode: {enum: [b]}}
`), nil)
	assert.Empty(t, findings)
}

func TestPublished(t *testing.T) {
	s := settings(t, `
type: object
properties:
  a:
    type: object
    x-deckhouse-immutable: true
    x-secret: true
    x-examples: [{}]
  map:
    type: object
    additionalProperties: {type: string}
oneOf:
- properties: {a: {type: object}}
`)
	assert.Equal(t, value(t, `
type: object
additionalProperties: false
properties:
  a: {type: object, x-deckhouse-immutable: true, additionalProperties: false}
  map: {type: object, additionalProperties: {type: string}}
oneOf:
- properties: {a: {type: object, additionalProperties: false}}
`), s.Published())
}

// FuzzLoad: any text is a schema or has findings, and a schema can be used.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		"type: object\nproperties:\n  a: {type: string, default: b}\n",
		"definitions: {t: {type: object, properties: {v: {default: {}}, l: {$ref: '#/definitions/t'}, r: {$ref: '#/definitions/t'}}}}\nproperties: {t: {$ref: '#/definitions/t'}}\n",
		"x-deckhouse-validations: [{expression: 'self.a > 1', message: m}]\n",
		"a: &a [*a]\n", "oneOf: [{}]\n", "patternProperties: {.*: {default: 1}}\n", "items: [{}, {}]\n",
	} {
		f.Add(seed, "{a: {b: [1, null]}}")
	}
	f.Fuzz(func(t *testing.T, text, given string) {
		set, findings := Load(settingsFile(text), valuesFile("x-extend: {schema: settings.yaml}\n"+text))
		if set.Settings == nil {
			require.NotEmpty(t, findings)
			return
		}
		var body map[string]any
		if v, problem := readSource(*settingsFile(given)); problem == nil && v != nil {
			body = v.raw
		}
		s := set.Settings
		filled := s.Default(body)
		assert.Equal(t, filled, s.Default(filled), "defaults of what has its defaults")
		_ = s.Validate(t.Context(), filled, Check{Old: filled})
		assert.NoError(t, s.Frozen(filled, filled))
		s.Mask(filled)
		s.Example()
		s.Published()
	})
}
