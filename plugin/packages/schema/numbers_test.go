package schema

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
)

// TestNumbersHave64Bits: a number that would become another one is refused where it
// stands, also in branches and as a default.
func TestNumbersHave64Bits(t *testing.T) {
	s := settings(t, `
type: object
properties:
  replicas: {type: integer, nullable: true}
  port: {type: integer, minimum: 1, maximum: 100000000000000000000000}
  ratio: {type: number, minimum: 0}
  any: {type: object, additionalProperties: true}
  list: {type: array, items: {type: integer}}
  either: {anyOf: [{type: boolean}, {type: integer}]}
  word: {type: string}
`)
	for _, given := range []string{
		"{replicas: 9223372036854775807}", "{replicas: -9223372036854775808}", "{replicas: null}", "{port: 9223372036854775807}",
		"{ratio: 99999999999999999999}", "{ratio: 1e300}", "{ratio: 0.0}", "{any: {a: 99999999999999999999}}", "{word: 1e400}",
	} {
		assert.NoError(t, s.Validate(t.Context(), value(t, given), Check{}), given)
	}
	const larger = "wanted an integer of 64 bits, found a larger one"
	const none = "one that 64 bits can't hold"
	for given, want := range map[string]string{
		"{replicas: 99999999999999999999}":  "replicas: " + larger + " (openapi/settings.yaml:4)",
		"{replicas: 9223372036854775808}":   "replicas: " + larger + " (openapi/settings.yaml:4)",
		"{replicas: -99999999999999999999}": "replicas: wanted an integer of 64 bits, found a smaller one (openapi/settings.yaml:4)",
		"{port: 99999999999999999999}":      "port: " + larger + " (openapi/settings.yaml:5)",
		"{list: [1, 99999999999999999999]}": "list[1]: " + larger + " (openapi/settings.yaml:8)",
		"{either: 99999999999999999999}":    "either: fits none of the alternatives: (1) wanted boolean, found number, (2) " + larger + " (openapi/settings.yaml:9)",
		"{replicas: 1e400}":                 "replicas: wanted null or integer, found " + none + " (openapi/settings.yaml:4)",
		"{ratio: 1e400}":                    "ratio: wanted number, found " + none + " (openapi/settings.yaml:6)",
	} {
		assert.EqualError(t, s.Validate(t.Context(), value(t, given), Check{}), "settings: "+want, given)
	}

	for given, want := range map[string]string{ // as JSON, of which every number is read
		`{"ratio": 1e400}`:               "ratio: wanted a finite number, found " + none + " (openapi/settings.yaml:6)",
		`{"ratio": 1e999999999}`:         "ratio: wanted a finite number, found " + none + " (openapi/settings.yaml:6)",
		`{"ratio": 1e-999999999}`:        "ratio: wanted a finite number, found " + none + " (openapi/settings.yaml:6)",
		`{"any": {"a": [-1e999999999]}}`: "any.a[0]: wanted a finite number, found " + none + " (openapi/settings.yaml:7)",
	} {
		read, err := document.One([]byte(given))
		require.NoError(t, err)
		values, isMap := read.(map[string]any)
		require.True(t, isMap)
		assert.EqualError(t, s.Validate(t.Context(), values, Check{}), "settings: "+want, given)
	}

	s = settings(t, "type: object\nproperties:\n  a: {type: integer, default: 99999999999999999999}\n  b: {type: number, default: 1e400}\n")
	assert.EqualError(t, s.Validate(t.Context(), s.Default(nil), Check{}), "settings: 2 problems:\n"+
		"  a: "+larger+" (openapi/settings.yaml:3)\n  b: wanted number, found "+none+" (openapi/settings.yaml:4)")
}
