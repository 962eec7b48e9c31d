package schema

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFrozen(t *testing.T) {
	s := settings(t, `
type: object
properties:
  class: {type: string, default: a, x-deckhouse-immutable: true}
  free: {type: integer}
  block: {type: object, x-deckhouse-immutable: true, properties: {x: {type: integer}, z: {type: integer}}}
  nested: {type: object, properties: {class: {type: string, x-deckhouse-immutable: true}, size: {type: integer}}}
  list: {type: array, items: {type: object, properties: {id: {type: integer, x-deckhouse-immutable: true}, k: {type: integer}}}}
  map: {type: object, additionalProperties: {type: string, x-deckhouse-immutable: true}}
  pattern: {type: object, patternProperties: {^a: {type: string, x-deckhouse-immutable: true}}}
  branch: {type: object, properties: {k: {type: string}}, allOf: [{properties: {k: {x-deckhouse-immutable: true}}}]}
  words: {type: string, x-deckhouse-immutable: "true"}
`)
	tests := map[string]struct{ was, is, want string }{
		"same":              {"{class: a}", "{class: a}", ""},
		"changed":           {"{class: a}", "{class: b}", "class: is immutable: it can only be set when the application is created (openapi/settings.yaml:4)"},
		"first value":       {"{}", "{nested: {class: a}}", ""},
		"free":              {"{free: 1}", "{free: 2}", ""},
		"block":             {"{block: {x: 1}}", "{block: {x: 1, z: 2}}", "block: is immutable"},
		"block dropped":     {"{block: {x: 1}}", "{}", "block: is immutable"},
		"around it dropped": {"{nested: {class: a}}", "{}", "nested.class: is immutable"},
		"beside it":         {"{nested: {class: a, size: 1}}", "{nested: {class: a, size: 2}}", ""},
		"number as another": {"{block: {x: 1}}", "{block: {x: 1.0}}", ""},
		"item":              {"{list: [{id: 1, k: 1}]}", "{list: [{id: 2, k: 1}]}", "list[0].id: is immutable"},
		"item added":        {"{list: [{id: 1}]}", "{list: [{id: 1}, {id: 2}]}", ""},
		"item taken away":   {"{list: [{id: 1}, {id: 2}]}", "{list: [{id: 1}]}", ""},
		"entry":             {"{map: {a: x}}", "{map: {a: z}}", "map.a: is immutable"},
		"entry added":       {"{map: {a: x}}", "{map: {a: x, b: z}}", ""},
		"entry taken away":  {"{map: {a: x}}", "{map: {}}", ""},
		"by pattern":        {"{pattern: {ab: x}}", "{pattern: {ab: z}}", "pattern.ab: is immutable"},
		"in a branch":       {"{branch: {k: x}}", "{branch: {k: z}}", "branch.k: is immutable"},
		"only true counts":  {"{words: x}", "{words: z}", ""},
		"two":               {"{class: a, map: {k: x}}", "{class: b, map: {k: z}}", "2 problems"},
		"nothing was there": {"", "{class: b}", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := s.Frozen(value(t, test.was), value(t, test.is))
			if test.want == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, "settings: "+test.want)
			}
		})
	}
}
