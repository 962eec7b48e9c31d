package schema

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
)

// maker makes random schemas and values that have something to do with them.
type maker struct {
	*rand.Rand
	// structuralOnly leaves out what CustomResourceDefinitions can't say.
	structuralOnly bool
}

func (m maker) one(of ...any) any { return of[m.IntN(len(of))] }

func (m maker) schema(depth int) map[string]any {
	kinds := []func(int) map[string]any{m.text, m.number, m.truth, m.object, m.list}
	if depth <= 0 {
		kinds = kinds[:3]
	}
	s := kinds[m.IntN(len(kinds))](depth)
	if m.IntN(6) == 0 {
		s["nullable"] = true
	}
	if m.IntN(3) == 0 {
		s["default"] = m.value(s, 2)
	}
	if !m.structuralOnly && m.IntN(5) == 0 {
		s[m.one("allOf", "anyOf", "oneOf").(string)] = []any{m.branch(), m.branch()}
	}
	return s
}

// branch restricts a value without saying its type.
func (m maker) branch() map[string]any {
	return m.one(
		map[string]any{"maxLength": int64(3)}, map[string]any{"minimum": int64(2)}, map[string]any{"required": []any{"a"}},
		map[string]any{"properties": map[string]any{"a": map[string]any{"enum": []any{"x", int64(1)}}}},
		map[string]any{"maxItems": int64(1)}, map[string]any{"enum": []any{"x", int64(1), true}},
		map[string]any{"not": map[string]any{"enum": []any{"x"}}},
	).(map[string]any)
}

func (m maker) text(int) map[string]any {
	s := map[string]any{"type": "string"}
	switch m.IntN(6) {
	case 0:
		s["minLength"] = int64(m.IntN(3))
	case 1:
		s["maxLength"] = int64(m.IntN(4))
	case 2:
		s["pattern"] = m.one("^x", "[0-9]", "^$")
	case 3:
		s["enum"] = []any{"x", "yes"}
	case 4:
		s["format"] = m.one("ipv4", "cidr", "duration", "date", "email", "uuid", "unknown")
	}
	return s
}

func (m maker) number(int) map[string]any {
	s := map[string]any{"type": m.one("integer", "number")}
	if m.IntN(2) == 0 {
		s["minimum"] = int64(m.IntN(3))
		s["exclusiveMinimum"] = m.IntN(2) == 0
	}
	if m.IntN(2) == 0 {
		s["maximum"] = int64(m.IntN(5))
	}
	if m.IntN(4) == 0 {
		s["multipleOf"] = int64(1 + m.IntN(2))
	}
	return s
}

func (m maker) truth(int) map[string]any { return map[string]any{"type": "boolean"} }

func (m maker) object(depth int) map[string]any {
	s := map[string]any{"type": "object"}
	if m.IntN(4) == 0 {
		s["additionalProperties"] = m.schema(depth - 1)
		return s
	}
	properties := map[string]any{}
	for _, name := range []string{"a", "b", "c"} {
		if m.IntN(3) > 0 {
			properties[name] = m.schema(depth - 1)
		}
	}
	s["properties"] = properties
	if m.IntN(3) == 0 {
		s["required"] = []any{m.one("a", "b", "c")}
	}
	if !m.structuralOnly {
		switch m.IntN(5) {
		case 0:
			s["additionalProperties"] = m.one(true, false)
		case 1:
			s["patternProperties"] = map[string]any{"^[cd]": m.schema(depth - 1)}
		}
	}
	return s
}

func (m maker) list(depth int) map[string]any {
	s := map[string]any{"type": "array", "items": m.schema(depth - 1)}
	if m.IntN(3) == 0 {
		s["maxItems"] = int64(m.IntN(3))
	}
	return s
}

// value fits a schema often enough.
func (m maker) value(s map[string]any, depth int) any {
	if m.IntN(8) == 0 || depth <= 0 {
		return m.one("x", "", "x1", "10.0.0.1", "10.0.0.0/8", "1m", int64(0), int64(1), int64(3), json.Number("1.5"), true, nil, []any{}, map[string]any{})
	}
	switch s["type"] {
	case "object":
		v := map[string]any{}
		properties, _ := s["properties"].(map[string]any)
		for _, name := range []string{"a", "b", "c", "d"} {
			of, declared := properties[name].(map[string]any)
			if more, isSchema := s["additionalProperties"].(map[string]any); isSchema && !declared {
				of = more
			}
			if m.IntN(2) == 0 && (declared || m.IntN(3) == 0) {
				v[name] = m.value(of, depth-1)
			}
		}
		return v
	case "array":
		v := []any{}
		items, _ := s["items"].(map[string]any)
		for range m.IntN(3) {
			v = append(v, m.value(items, depth-1))
		}
		return v
	case "integer":
		return int64(m.IntN(4))
	case "number":
		return m.one(int64(1), json.Number("0.5"), json.Number("2.5"))
	case "boolean":
		return m.IntN(2) == 0
	}
	return m.one("x", "x1", "yes", "10.0.0.0/8", "1m", "2026-01-01")
}

// loaded makes a schema of random raw.
func loaded(t *testing.T, raw map[string]any) *Schema {
	t.Helper()
	text, err := object.EncodeJSON(raw)
	require.NoError(t, err)
	set, findings := Load(settingsFile(string(text)), nil)
	require.NoError(t, bundle.AsError(findings), "%s", text)
	return set.Settings
}

// TestVerdictsAreKubernetes: the validator of OpenAPI that Kubernetes has, a fork of
// the platform's, says yes and no to the same values.
func TestVerdictsAreKubernetes(t *testing.T) {
	yes, no := 0, 0
	for seed := range uint64(600) {
		m := maker{Rand: rand.New(rand.NewPCG(seed, 1))} //nolint:gosec // a test that can be repeated
		raw := m.object(3)
		s := loaded(t, raw)
		published, err := object.EncodeJSON(s.Published())
		require.NoError(t, err)
		var theirs spec.Schema
		require.NoError(t, json.Unmarshal(published, &theirs))
		for range 4 {
			value, isMap := m.value(raw, 5).(map[string]any)
			if !isMap {
				continue
			}
			ours := s.Validate(t.Context(), value, Check{})
			verdict := validate.NewSchemaValidator(&theirs, nil, "", strfmt.Default).Validate(natives(value))
			if (ours == nil) != verdict.IsValid() {
				given, _ := object.EncodeJSON(value)
				assert.Fail(t, "another verdict", "seed %d\nschema %s\nvalue %s\nours %v\ntheirs %v", seed, published, given, ours, verdict.Errors)
				return
			}
			if ours == nil {
				yes++
			} else {
				no++
			}
		}
	}
	assert.Greater(t, min(yes, no), 200, "values that fit: %d, others: %d", yes, no)
}

// TestDefaultsAreKubernetes: on what a CustomResourceDefinition can say, defaults
// are those that the API server fills in.
func TestDefaultsAreKubernetes(t *testing.T) {
	changed := 0
	for seed := range uint64(600) {
		m := maker{Rand: rand.New(rand.NewPCG(seed, 2)), structuralOnly: true} //nolint:gosec // a test that can be repeated
		raw := m.object(3)
		s := loaded(t, raw)
		value, isMap := m.value(raw, 5).(map[string]any)
		if !isMap {
			continue
		}
		want, _ := natives(value).(map[string]any)
		theirs := asStructural(raw)
		defaulting.PruneNonNullableNullsWithoutDefaults(want, theirs)
		defaulting.Default(want, theirs)

		got := s.Default(withoutUselessNulls(value, s.root).(map[string]any))
		if !object.Equal(natives(got), want) {
			text, _ := object.EncodeJSON(raw)
			assert.Fail(t, "other defaults", "seed %d\nschema %s\nvalue %s\nours %s\ntheirs %s", seed, text, fmt.Sprint(value), fmt.Sprint(got), fmt.Sprint(want))
			return
		}
		if !object.Equal(got, value) {
			changed++
		}
	}
	assert.Greater(t, changed, 50)
}

// withoutUselessNulls drops nulls where the API server does so before it fills in
// defaults; we leave them to the validation, which refuses them.
func withoutUselessNulls(value any, n *node) any {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, item := range v {
			of := n.of(key)
			if item == nil && len(of) > 0 && !of[0].allowsNull() && of[0].fallback == nil {
				continue
			}
			if len(of) > 0 {
				item = withoutUselessNulls(item, of[0])
			}
			out[key] = item
		}
		return out
	case []any:
		out := []any{}
		for _, item := range v {
			if n.items != nil {
				item = withoutUselessNulls(item, n.items)
			}
			out = append(out, item)
		}
		return out
	}
	return value
}

// asStructural writes a schema as the API server has it.
func asStructural(raw map[string]any) *structural.Structural {
	s := &structural.Structural{}
	s.Type, _ = raw["type"].(string)
	s.Nullable, _ = raw["nullable"].(bool)
	s.Default.Object = natives(raw["default"])
	if items, given := raw["items"].(map[string]any); given {
		s.Items = asStructural(items)
	}
	if more, given := raw["additionalProperties"].(map[string]any); given {
		s.AdditionalProperties = &structural.StructuralOrBool{Structural: asStructural(more)}
	}
	properties, _ := raw["properties"].(map[string]any)
	for name, p := range properties {
		if s.Properties == nil {
			s.Properties = map[string]structural.Structural{}
		}
		s.Properties[name] = *asStructural(p.(map[string]any))
	}
	return s
}
