package schema

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
)

func TestDefault(t *testing.T) {
	tests := map[string]struct{ schema, given, want string }{
		"absent":            {"properties: {a: {default: 1}}", "", "{a: 1}"},
		"given":             {"properties: {a: {default: 1}}", "{a: 2}", "{a: 2}"},
		"empty text":        {"properties: {a: {type: string, default: x}}", "{a: ''}", "{a: ''}"},
		"null":              {"properties: {a: {type: string, default: x}}", "{a: null}", "{a: x}"},
		"null is a value":   {"properties: {a: {type: string, nullable: true, default: x}}", "{a: null}", "{a: null}"},
		"no object":         {"properties: {a: {type: object, properties: {b: {default: 1}}}}", "", "{}"},
		"object":            {"properties: {a: {type: object, properties: {b: {default: 1}}}}", "{a: {}}", "{a: {b: 1}}"},
		"default of object": {"properties: {a: {type: object, default: {}, properties: {b: {default: 1}}}}", "", "{a: {b: 1}}"},
		"items":             {"properties: {a: {type: array, items: {type: object, properties: {b: {default: 1}}}}}", "{a: [{}, {b: 2}]}", "{a: [{b: 1}, {b: 2}]}"},
		"items of a tuple":  {"properties: {a: {type: array, items: [{}, {properties: {b: {default: 1}}}]}}", "{a: [{}, {}]}", "{a: [{}, {b: 1}]}"},
		"additional":        {"properties: {a: {type: object, additionalProperties: {type: object, properties: {b: {default: 1}}}}}", "{a: {x: {}}}", "{a: {x: {b: 1}}}"},
		"null in a map":     {"properties: {a: {type: object, additionalProperties: {type: integer, default: 7}}}", "{a: {x: null}}", "{a: {x: 7}}"},
		"reference":         {"definitions: {d: {type: object, default: {}, properties: {b: {default: 1}}}}\nproperties: {a: {$ref: '#/definitions/d'}}", "", "{a: {b: 1}}"},
		"reference and own": {"definitions: {d: {type: object, properties: {b: {default: 1}}}}\nproperties: {a: {$ref: '#/definitions/d', default: {}}}", "", "{a: {b: 1}}"},
		"branch":            {"properties: {a: {type: integer}}\nallOf: [{properties: {a: {default: 1}}}]", "", "{}"},
		"as deep as given":  {"definitions: {t: {type: object, properties: {v: {default: 1}, l: {$ref: '#/definitions/t'}}}}\nproperties: {t: {$ref: '#/definitions/t'}}", "{t: {l: {l: {}}}}", "{t: {v: 1, l: {v: 1, l: {v: 1}}}}"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			given := value(t, test.given)
			s := settings(t, "type: object\n"+test.schema+"\n")
			assert.Equal(t, value(t, test.want), s.Default(given))
			assert.Equal(t, value(t, test.given), given, "the argument is not changed")
		})
	}
}

func TestDefaultIsACopy(t *testing.T) {
	s := settings(t, "properties: {a: {type: object, default: {b: [1]}}}\n")
	first := s.Default(nil)
	first["a"].(map[string]any)["b"].([]any)[0] = "changed"
	assert.Equal(t, value(t, "{a: {b: [1]}}"), s.Default(nil))
}

// TestDefaultsThatExplode: definitions of a few lines that ask for 2^30 values.
func TestDefaultsThatExplode(t *testing.T) {
	text := "definitions:\n  d00: {type: object, default: {}}\n"
	for i := range 30 {
		text += "  d" + itoa(i+1) + ": {type: object, default: {}, properties: {a: {$ref: '#/definitions/d" + itoa(i) + "'}, b: {$ref: '#/definitions/d" + itoa(i) + "'}}}\n"
	}
	_, findings := Load(settingsFile(text+"properties: {a: {$ref: '#/definitions/d30'}}\nx-deckhouse-validations: [{expression: 'has(self.a)', message: m}]\n"), nil)
	require.Error(t, bundle.AsError(findings))
	assert.Contains(t, lines(findings), "the defaults expand to more than 20000 values")
}

func TestDefaultsWithoutEnd(t *testing.T) {
	for _, text := range []string{
		"definitions:\n  t: {type: object, default: {}, properties: {l: {$ref: '#/definitions/t'}}}\n",
		"definitions:\n  t: {type: object, properties: {l: {$ref: '#/definitions/t', default: {}}}}\n",
		"definitions:\n  t: {type: object, properties: {m: {type: object, default: {x: {}}, properties: {x: {$ref: '#/definitions/t'}}}}}\n",
	} {
		_, findings := Load(settingsFile(text+"properties:\n  many: {type: array, items: {$ref: '#/definitions/t'}}\n"), nil)
		assert.Contains(t, lines(findings), "its default has no end: it asks for itself again", text)
	}
}

func TestOpen(t *testing.T) {
	s := Open(Values)
	given := value(t, "{a: {b: [1]}}")
	assert.Equal(t, given, s.Default(given))
	assert.NoError(t, s.Validate(t.Context(), given, Check{}))
}

func itoa(i int) string { return string(rune('0'+i/10)) + string(rune('0'+i%10)) }
