package schema

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestExample(t *testing.T) {
	tests := map[string]struct{ schema, want string }{
		"x-example first":      {"properties: {a: {type: string, x-example: one, x-examples: [two], enum: [three, one], default: four, example: five}}", "{a: one}"},
		"then x-examples":      {"properties: {a: {type: string, x-examples: [two], default: four, example: five}}", "{a: two}"},
		"then example":         {"properties: {a: {type: string, default: four, example: five}}", "{a: five}"},
		"then default":         {"properties: {a: {type: string, enum: [three, four], default: four}}", "{a: four}"},
		"then enum":            {"properties: {a: {type: string, enum: [three]}}", "{a: three}"},
		"types":                {"properties: {t: {type: string}, i: {type: integer}, f: {type: number}, b: {type: boolean}, l: {type: array, items: {type: integer}}, o: {type: object, properties: {x: {type: integer}}}}", "{t: example, i: 1, f: 1, b: false, l: [1], o: {x: 1}}"},
		"bounds":               {"properties: {i: {type: integer, minimum: 3}, j: {type: integer, minimum: 3, exclusiveMinimum: true}, s: {type: string, maxLength: 3}, l: {type: string, minLength: 9}}", "{i: 3, j: 4, s: exa, l: example-example}"},
		"formats":              {"properties: {d: {type: string, format: date}, u: {type: string, format: uri}}", "{d: '2026-01-01', u: 'https://example.com'}"},
		"default is completed": {"properties: {o: {type: object, default: {a: 1}, properties: {a: {type: integer}, b: {type: string}}}}", "{o: {a: 1, b: example}}"},
		"nothing to make up":   {"properties: {any: {}, l: {type: array}}", "{l: []}"},
		"branch":               {"properties: {a: {oneOf: [{type: integer}, {type: string}]}}", "{a: 1}"},
		"reference":            {"definitions: {d: {type: integer, x-example: 7}}\nproperties: {a: {$ref: '#/definitions/d'}}", "{a: 7}"},
		"refers to itself":     {"definitions: {t: {type: object, properties: {v: {type: integer}, l: {$ref: '#/definitions/t'}}}}\nproperties: {t: {$ref: '#/definitions/t'}}", "{t: {v: 1}}"},
		"lists without end":    {"definitions: {t: {type: array, items: {$ref: '#/definitions/t'}}}\nproperties: {t: {$ref: '#/definitions/t'}}", "{t: []}"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := settings(t, "type: object\n"+test.schema+"\n")
			made := s.Example()
			assert.Equal(t, value(t, test.want), made)
			assert.NoError(t, s.Validate(t.Context(), s.Default(made), Check{}))
		})
	}
}
