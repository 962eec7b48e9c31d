package schema

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The tests below are named after what users of the platform have complained
// about; each says what must come of it.

func TestComplaint20UndeclaredSetting(t *testing.T) {
	s := settings(t, "type: object\nproperties:\n  replicas: {type: integer}\n")
	assert.EqualError(t, s.Validate(t.Context(), value(t, "{replica: 2}"), Check{}),
		"settings: replica: forbidden property: it is not declared in the settings schema; did you mean replicas? (openapi/settings.yaml:1)")
}

func TestComplaint21ImmutableSetting(t *testing.T) {
	applied := value(t, "{class: a}")
	with := func(fallback string) *Schema {
		return settings(t, "properties:\n  class: {type: string, default: "+fallback+", x-deckhouse-immutable: true}\n")
	}
	s := with("a")
	assert.Error(t, s.Frozen(applied, s.Default(value(t, "{class: b}"))))
	assert.NoError(t, s.Frozen(applied, s.Default(nil)), "leaving it out gives the default, which is the value")
	s = with("b")
	assert.Error(t, s.Frozen(applied, s.Default(nil)), "leaving it out gives another value")
}

func TestComplaint31DefaultsOfPatternProperties(t *testing.T) {
	s := settings(t, "patternProperties:\n  \".*\": {type: object, properties: {x: {type: integer, default: 1}}}\n")
	assert.Equal(t, value(t, "{k: {x: 1}}"), s.Default(value(t, "{k: {}}")))
}

func TestComplaint32UndeclaredInItems(t *testing.T) {
	s := settings(t, "properties:\n  l: {type: array, items: {type: object, properties: {a: {type: array, items: {type: object, properties: {b: {}}}}}}}\n")
	assert.ErrorContains(t, s.Validate(t.Context(), value(t, "{l: [{a: [{c: 1}]}]}"), Check{}), "l[0].a[0].c: forbidden property")
	assert.ErrorContains(t, s.Validate(t.Context(), value(t, "{l: [{c: 1}]}"), Check{}), "l[0].c: forbidden property")
}

func TestComplaint33DefaultOfAList(t *testing.T) {
	s := settings(t, "properties:\n  l: {type: array, default: [a], items: {type: string}}\n  m: {type: array, default: [{}]}\n")
	assert.Equal(t, value(t, "{l: [], m: [{}]}"), s.Default(value(t, "{l: []}")), "a list without items is a list")
	assert.Equal(t, value(t, "{l: [a], m: [1]}"), s.Default(value(t, "{m: [1]}")), "and one without a schema of items too")
}
