package schema

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMask(t *testing.T) {
	s := settings(t, `
type: object
properties:
  password: {type: string, format: password}
  token: {type: string, writeOnly: true}
  tls: {type: object, x-secret: true, properties: {key: {type: string}}}
  users: {type: array, items: {type: object, properties: {name: {type: string}, password: {type: string, x-secret: true}}}}
  map: {type: object, additionalProperties: {type: string, x-secret: true}}
  branch: {type: object, properties: {k: {type: string}}, oneOf: [{properties: {k: {x-secret: true}}}]}
  plain: {type: string}
`)
	given := value(t, `
password: one
token: 2
tls: {key: three}
users: [{name: a, password: four}, {name: b}]
map: {a: five}
branch: {k: six}
plain: seen
undeclared: {x: 1}
`)
	assert.Equal(t, value(t, `
password: <value not shown>
token: <value not shown>
tls: <value not shown>
users: [{name: a, password: <value not shown>}, {name: b}]
map: {a: <value not shown>}
branch: {k: <value not shown>}
plain: seen
undeclared: {x: 1}
`), s.Mask(given))
	assert.ElementsMatch(t, []any{"one", int64(2), map[string]any{"key": "three"}, "four", "five", "six"}, s.Secrets(given))
	assert.Empty(t, s.Mask(nil))
}

func TestMaskOfAnotherType(t *testing.T) {
	s := settings(t, "properties: {a: {type: string, x-secret: true}}\n")
	assert.Equal(t, value(t, "{a: <value not shown>}"), s.Mask(value(t, "{a: [{b: hidden}]}")))
}
