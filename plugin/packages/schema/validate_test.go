package schema

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestValidate(t *testing.T) {
	const text = `
type: object
required: [host]
properties:
  host: {type: string, minLength: 2, maxLength: 20, pattern: "^[a-z0-9-]+$"}
  port: {type: integer, minimum: 1, maximum: 10, exclusiveMaximum: true}
  ratio: {type: number, multipleOf: 0.5}
  mode: {type: string, enum: [fast, safe]}
  level: {enum: [1, 2]}
  note: {type: string, nullable: true}
  choice: {type: string, nullable: true, enum: [a]}
  wait: {type: string, format: duration}
  list: {type: array, minItems: 1, maxItems: 2, uniqueItems: true, items: {type: string}}
  map: {type: object, minProperties: 1, maxProperties: 2, additionalProperties: {type: integer}}
  tls:
    type: object
    properties: {mode: {type: string}, secret: {type: string}, issuer: {type: string}}
    oneOf:
    - properties: {mode: {enum: [secret]}}
      required: [secret]
    - properties: {mode: {enum: [issuer]}}
      required: [issuer]
  either:
    anyOf: [{type: string}, {type: integer}]
  odd: {type: integer, not: {enum: [2]}}
  net: {type: string, format: cidr}
`
	s := settings(t, text)
	good := []string{
		"{host: web, port: 9, ratio: 1.5, mode: fast, level: 1, note: null, choice: null, wait: 1h30m}",
		"{host: web, wait: 3 days, list: [a], map: {x: 1}, either: 5, odd: 1}",
		"{host: web, tls: {mode: secret, secret: a}}",
		"{host: web, net: 10.0.0.0/8}",
	}
	for _, given := range good {
		assert.NoError(t, s.Validate(t.Context(), value(t, given), Check{}), given)
	}
	bad := map[string]string{
		"":                                         "host: is required (openapi/settings.yaml:3)",
		"{host: 5}":                                "host: wanted string, found number (openapi/settings.yaml:5)",
		"{host: a}":                                "host: wanted at least 2 characters (openapi/settings.yaml:5)",
		"{host: aaaaaaaaaaaaaaaaaaaaa}":            "host: wanted at most 20 characters (openapi/settings.yaml:5)",
		"{host: Web}":                              "host: wanted text that matches ^[a-z0-9-]+$ (openapi/settings.yaml:5)",
		"{host: web, port: 0}":                     "port: wanted at least 1 (openapi/settings.yaml:6)",
		"{host: web, port: 10}":                    "port: wanted less than 10 (openapi/settings.yaml:6)",
		"{host: web, port: 1.5}":                   "port: wanted integer, found number (openapi/settings.yaml:6)",
		"{host: web, port: null}":                  "port: wanted integer, found null (openapi/settings.yaml:6)",
		"{host: web, ratio: 0.7}":                  "ratio: wanted a multiple of 0.5 (openapi/settings.yaml:7)",
		"{host: web, mode: slow}":                  "mode: wanted one of fast, safe (openapi/settings.yaml:8)",
		"{host: web, level: 3}":                    "level: wanted one of 1, 2 (openapi/settings.yaml:9)",
		"{host: web, wait: soon}":                  "wait: wanted text of the format duration (openapi/settings.yaml:12)",
		"{host: web, list: []}":                    "list: wanted at least 1 items, found 0 (openapi/settings.yaml:13)",
		"{host: web, list: [a, a]}":                "list: items 1 and 2 are the same (openapi/settings.yaml:13)",
		"{host: web, list: [a, 5]}":                "list[1]: wanted string, found number (openapi/settings.yaml:13)",
		"{host: web, map: {x: z}}":                 "map.x: wanted integer, found string (openapi/settings.yaml:14)",
		"{host: web, map: {}}":                     "map: wanted at least 1 properties, found 0 (openapi/settings.yaml:14)",
		"{host: web, tls: {mode: x}}":              "tls: fits none of the alternatives: (1) tls.secret is required, (2) tls.issuer is required (openapi/settings.yaml:18)",
		"{host: web, tls: {secret: a, issuer: b}}": "tls: fits alternatives 1 and 2, wanted exactly one (openapi/settings.yaml:18)",
		"{host: web, either: []}":                  "either: fits none of the alternatives: (1) wanted string, found array, (2) wanted integer, found array (openapi/settings.yaml:24)",
		"{host: web, net: 10.0.0.0}":               "net: wanted text of the format cidr (openapi/settings.yaml:26)",
		"{host: web, odd: 2}":                      "odd: is what the schema excludes (openapi/settings.yaml:25)",
		"{host: web, hosts: a}":                    "hosts: forbidden property: it is not declared in the settings schema; did you mean host? (openapi/settings.yaml:2)",
	}
	for given, want := range bad {
		t.Run(given, func(t *testing.T) {
			assert.EqualError(t, s.Validate(t.Context(), value(t, given), Check{}), "settings: "+want)
		})
	}
}

func TestValidateTellsAll(t *testing.T) {
	s := settings(t, "type: object\nproperties:\n  a: {type: integer}\n  b: {type: array, items: {type: integer}}\n")
	err := s.Validate(t.Context(), value(t, "{a: x, b: [x, 1, x], c: 1}"), Check{})
	var invalid *InvalidError
	require.ErrorAs(t, err, &invalid)
	assert.Len(t, invalid.Faults, 4)
	assert.EqualError(t, err, `settings: 4 problems:
  a: wanted integer, found string (openapi/settings.yaml:3)
  b[0]: wanted integer, found string (openapi/settings.yaml:4)
  b[2]: wanted integer, found string (openapi/settings.yaml:4)
  c: forbidden property: it is not declared in the settings schema (openapi/settings.yaml:1)`)
}

// TestNoFaultTellsAValue: whatever is wrong, the value is not in the text.
func TestNoFaultTellsAValue(t *testing.T) {
	for _, schema := range []string{
		"{type: integer}", "{type: object}", "{enum: [a]}", "{type: string, pattern: '^[0-9]+$'}", "{type: string, maxLength: 3}",
		"{type: string, format: ipv4}", "{anyOf: [{type: integer}, {enum: [b]}]}", "{oneOf: [{type: string}, {maxLength: 99}]}",
		"{not: {type: string}}", "{type: string, x-deckhouse-validations: [{expression: 'size(self) < 3', message: too long}]}",
		"{type: string, x-deckhouse-validations: [{expression: 'int(self) < 3', message: too long}]}",
	} {
		s := settings(t, "properties:\n  password: "+schema+"\n")
		for _, given := range []any{secret, []any{secret, secret}, map[string]any{secret: secret}} {
			err := s.Validate(t.Context(), map[string]any{"password": given}, Check{})
			if err == nil {
				continue
			}
			if _, isMap := given.(map[string]any); !isMap { // the name of a property is told
				assert.NotContains(t, err.Error(), secret, schema)
			}
		}
	}
}

func TestRequiredForHelm(t *testing.T) {
	set, findings := Load(nil, valuesFile(`
type: object
x-required-for-helm: token
properties:
  token: {type: string}
  internal:
    type: object
    default: {}
    x-required-for-helm: [certificate]
    properties: {certificate: {type: string}}
`))
	require.Empty(t, findings)
	s := set.Values
	assert.True(t, s.RequiresForRendering())
	values := s.Default(nil)
	assert.NoError(t, s.Validate(t.Context(), values, Check{}))
	assert.EqualError(t, s.Validate(t.Context(), values, Check{Rendering: true}), `values: 2 problems:
  internal.certificate: is required (openapi/values.yaml:9)
  token: is required (openapi/values.yaml:3)`)
}

func TestValidateEndsWithItsContext(t *testing.T) {
	s := settings(t, "x-deckhouse-validations: [{expression: 'true', message: m}]\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, s.Validate(ctx, nil, Check{}), context.Canceled)
}

// Branches restrict an object that is declared outside, so they are not closed
// unless they say that they are an object of their own.
func TestClosedObjects(t *testing.T) {
	tests := map[string]struct {
		schema, given, want string
	}{
		"properties":          {"properties: {a: {type: object}}", "{a: {b: 1}}", "a.b: forbidden"},
		"explicit map":        {"properties: {a: {type: object, additionalProperties: true}}", "{a: {b: 1}}", ""},
		"items":               {"properties: {a: {type: array, items: {type: object, properties: {b: {type: integer}}}}}", "{a: [{c: 1}]}", "a[0].c: forbidden"},
		"definition":          {"definitions: {d: {type: object}}\nproperties: {a: {$ref: '#/definitions/d'}}", "{a: {b: 1}}", "a.b: forbidden"},
		"branch":              {"properties: {a: {type: integer}, b: {type: integer}}\noneOf: [{required: [a]}, {properties: {b: {maximum: 5}}, required: [b]}]", "{b: 1}", ""},
		"only in a branch":    {"oneOf: [{properties: {a: {type: integer}}}]\nproperties: {}", "{a: 1}", "a: forbidden"},
		"branch of its own":   {"properties: {a: {anyOf: [{type: object, properties: {b: {}}}]}}", "{a: {c: 1}}", "a: fits none"},
		"below a map":         {"properties: {a: {type: object, additionalProperties: {type: object, properties: {b: {type: integer}}}}}", "{a: {x: {c: 1}}}", ""},
		"reference with more": {"definitions: {d: {type: object, properties: {b: {type: integer}}}}\nproperties: {a: {$ref: '#/definitions/d', minProperties: 1}}", "{a: {}}", "a: wanted at least 1 properties"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := settings(t, "type: object\n"+test.schema+"\n").Validate(t.Context(), value(t, test.given), Check{})
			if test.want == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, test.want)
			}
		})
	}
}
