package values

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schema"
)

const settingsSchema = `
type: object
properties:
  replicas: {type: integer, default: 2, maximum: 9}
  class: {type: string, x-deckhouse-grantable-resource: storageclasses, x-deckhouse-immutable: true}
  size: {type: integer, default: 1}
x-deckhouse-validations:
- {expression: "self.size >= oldSelf.size", message: it only grows}
`

const valuesSchema = `
x-extend: {schema: settings.yaml}
type: object
properties:
  internal:
    type: object
    default: {}
    properties:
      state: {type: string}
      count: {type: integer, default: 0}
      members: {type: array, items: {type: string}}
`

func sources(t *testing.T, settings, values string) *Sources {
	t.Helper()
	var files [2]*bundle.File
	for i, text := range []string{settings, values} {
		if text != "" {
			files[i] = &bundle.File{Name: []string{"openapi/settings.yaml", "openapi/values.yaml"}[i], Data: []byte(text)}
		}
	}
	set, findings := schema.Load(files[0], files[1])
	require.NoError(t, bundle.AsError(findings))
	return &Sources{Schemas: set}
}

// value reads YAML with exact numbers.
func value(t *testing.T, text string) map[string]any {
	t.Helper()
	if text == "" {
		return nil
	}
	json, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	body, err := object.DecodeJSON(json)
	require.NoError(t, err)
	return body
}

func patch(t *testing.T, text string) output.ValuesPatch {
	t.Helper()
	p, err := output.ParseValuesPatch([]byte(text))
	require.NoError(t, err)
	return p
}

// TestLayers: each layer wins over those below it.
func TestLayers(t *testing.T) {
	s := sources(t, settingsSchema, valuesSchema)
	s.Static = value(t, "{internal: {state: static, members: [a]}, replicas: 7}")
	s.Catalogues = map[string]schema.Catalogue{"storageclasses": {Default: "fast", Allowed: []string{"fast"}}}

	settings, err := s.Settings(t.Context(), value(t, "{size: 3}"), Change{})
	require.NoError(t, err)
	assert.Equal(t, value(t, "{replicas: 2, class: fast, size: 3}"), settings)

	computed, err := s.Values(settings, output.ValuesPatch{})
	require.NoError(t, err)
	assert.Equal(t, value(t, "{replicas: 2, class: fast, size: 3, internal: {state: static, members: [a], count: 0}}"), computed.Values)

	computed, err = s.Values(settings, patch(t, `[{"op": "replace", "path": "/internal/state", "value": "hook"}, {"op": "remove", "path": "/internal/count"}]`))
	require.NoError(t, err)
	assert.Equal(t, value(t, "{replicas: 2, class: fast, size: 3, internal: {state: hook, members: [a]}}"), computed.Values)
	assert.NoError(t, s.Check(t.Context(), computed.Values, schema.Check{}))
	assert.Equal(t, value(t, "{replicas: 2, class: fast, size: 3}"), settings, "no layer changes another one")
}

func TestSettings(t *testing.T) {
	s := sources(t, settingsSchema, "")
	s.Catalogues = map[string]schema.Catalogue{"storageclasses": {Allowed: []string{"a", "b"}}}
	tests := map[string]struct {
		given  string
		change Change
		want   string
	}{
		"installation":      {"{replicas: 3, class: a}", Change{}, ""},
		"type":              {"{replicas: many}", Change{}, "settings: replicas: wanted integer, found string (openapi/settings.yaml:4)"},
		"not granted":       {"{class: c}", Change{}, "settings: class: wanted one of the storageclasses of the project (a, b) (openapi/settings.yaml:5)"},
		"rule":              {"{size: 1}", Change{Applied: value(t, "{size: 2}")}, "settings: it only grows (openapi/settings.yaml:8)"},
		"rule, new version": {"{size: 1}", Change{Applied: value(t, "{size: 2}"), NewVersion: true}, ""},
		"immutable":         {"{class: b}", Change{Applied: value(t, "{size: 1, class: a}")}, "settings: class: is immutable: it can only be set when the application is created (openapi/settings.yaml:5)"},
		"immutable, new version": {
			"{class: b}",
			Change{Applied: value(t, "{class: a}"), NewVersion: true},
			"settings: class: is immutable: it can only be set when the application is created (openapi/settings.yaml:5)",
		},
		"both": {"{class: c}", Change{Applied: value(t, "{size: 1, class: a}")}, "settings: 2 problems:"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := s.Settings(t.Context(), value(t, test.given), test.change)
			if test.want == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, test.want)
			}
		})
	}
}

func TestSettingsWithoutSchema(t *testing.T) {
	s := &Sources{}
	settings, err := s.Settings(t.Context(), nil, Change{})
	require.NoError(t, err)
	assert.Empty(t, settings)
	_, err = s.Settings(t.Context(), value(t, "{b: 1, a: hidden}"), Change{})
	assert.EqualError(t, err, "the package has no schema of settings (openapi/settings.yaml), so none can be set; found a, b")

	computed, err := s.Values(nil, patch(t, `[{"op": "add", "path": "/any", "value": 1}]`))
	require.NoError(t, err)
	assert.Equal(t, value(t, "{any: 1}"), computed.Values)
	assert.NoError(t, s.Check(t.Context(), computed.Values, schema.Check{}))
}

func TestPatch(t *testing.T) {
	s := sources(t, settingsSchema, valuesSchema)
	values := value(t, "{replicas: 2, size: 1, internal: {count: 1}}")
	tests := map[string]struct{ patch, want, err string }{
		"adds":      {`[{"op": "add", "path": "/internal/state", "value": "up"}]`, "{replicas: 2, size: 1, internal: {count: 1, state: up}}", ""},
		"same":      {`[{"op": "replace", "path": "/internal/count", "value": 1}]`, "", ""},
		"same 1.0":  {`[{"op": "replace", "path": "/internal/count", "value": 1.0}]`, "", ""},
		"back":      {`[{"op": "add", "path": "/internal/state", "value": "x"}, {"op": "remove", "path": "/internal/state"}]`, "", ""},
		"not there": {`[{"op": "remove", "path": "/zzz"}]`, "", "values patch: step 1 (remove /zzz): "},
		"type":      {`[{"op": "add", "path": "/internal/count", "value": "many"}]`, "", "values patch: values: internal.count: wanted integer, found string (openapi/values.yaml:10)"},
		"rule":      {`[{"op": "replace", "path": "/size", "value": 0}]`, "", "values patch: values: it only grows (openapi/settings.yaml:8)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			next, changed, err := s.Patch(t.Context(), values, patch(t, test.patch))
			if test.err != "" {
				assert.ErrorContains(t, err, test.err)
				assert.Nil(t, next)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.want != "", changed)
			if changed {
				assert.Equal(t, value(t, test.want), next)
			}
		})
	}
	assert.Equal(t, value(t, "{replicas: 2, size: 1, internal: {count: 1}}"), values)
}

// The tests below are named after what users of the platform have complained about.

func TestComplaint30UndeclaredNeighbour(t *testing.T) {
	s := sources(t, settingsSchema, valuesSchema)
	_, _, err := s.Patch(t.Context(), value(t, "{internal: {count: 1}}"),
		patch(t, `[{"op": "add", "path": "/internal/states", "value": "up"}]`))
	assert.EqualError(t, err, "values patch: values: internal.states: forbidden property: "+
		"it is not declared in the values schema; did you mean state? (openapi/values.yaml:5)")
}

func TestComplaint34RemoveOfAnAbsentPath(t *testing.T) {
	s := &Sources{}
	computed, err := s.Values(nil, patch(t, `[{"op": "add", "path": "/a", "value": 1}, {"op": "remove", "path": "/a"}]`))
	require.NoError(t, err)
	assert.Equal(t, Computed{Values: map[string]any{}}, computed)

	computed, err = s.Values(nil, patch(t, `[{"op": "remove", "path": "/a"}, {"op": "add", "path": "/b", "value": 1}]`))
	require.NoError(t, err, "what was accepted once is replayed leniently")
	assert.Equal(t, Computed{Values: value(t, "{b: 1}"), Skipped: 1}, computed)

	_, _, err = s.Patch(t.Context(), nil, patch(t, `[{"op": "remove", "path": "/zzz"}]`))
	assert.ErrorContains(t, err, "/zzz", "a new patch is strict")
}

// TestComplaint18FreshValues: values depend on their sources alone, so what an
// application had before it was switched off comes back in none of them.
func TestComplaint18FreshValues(t *testing.T) {
	s := sources(t, settingsSchema, valuesSchema)
	settings, err := s.Settings(t.Context(), value(t, "{replicas: 3}"), Change{})
	require.NoError(t, err)
	_, err = s.Values(settings, patch(t, `[{"op": "add", "path": "/internal/state", "value": "old"}]`))
	require.NoError(t, err)
	again, err := s.Values(settings, output.ValuesPatch{})
	require.NoError(t, err)
	assert.Equal(t, value(t, "{count: 0}"), again.Values["internal"])
}

func TestGuess(t *testing.T) {
	s := sources(t, `
type: object
required: [host]
properties:
  host: {type: string, x-example: shop.example.com}
  replicas: {type: integer, default: 2}
`, `
x-extend: {schema: settings.yaml}
type: object
properties:
  internal: {type: object, properties: {token: {type: string}, list: {type: array, items: {type: object, properties: {port: {type: integer}}}}}}
`)
	settings, err := s.Settings(t.Context(), s.Guess(), Change{})
	require.NoError(t, err)
	assert.Equal(t, value(t, "{host: shop.example.com, replicas: 2}"), settings)
	computed, err := s.Values(settings, output.ValuesPatch{})
	require.NoError(t, err)

	full := s.Complete(computed.Values)
	assert.Equal(t, value(t, "{host: shop.example.com, replicas: 2, internal: {token: example, list: [{port: 1}]}}"), full)
	assert.NoError(t, s.Check(t.Context(), full, schema.Check{}))
	assert.Equal(t, value(t, "{internal: {token: mine, list: []}}"), s.Complete(value(t, "{internal: {token: mine, list: []}}")), "what is there is kept")

	assert.Equal(t, map[string]any{}, (&Sources{}).Guess())
	assert.Equal(t, value(t, "{a: 1}"), (&Sources{}).Complete(value(t, "{a: 1}")))
}

func TestDigest(t *testing.T) {
	digest := func(v map[string]any) string {
		d, err := Digest(v)
		require.NoError(t, err)
		return d
	}
	one := digest(value(t, "{a: 1, b: [x, {c: true}]}"))
	assert.Regexp(t, "^sha256:[0-9a-f]{64}$", one)
	assert.Equal(t, one, digest(value(t, "{b: [x, {c: true}], a: 1.0}")))
	assert.Equal(t, one, digest(map[string]any{"a": float64(1), "b": []any{"x", map[string]any{"c": true}}}))
	assert.Equal(t, digest(value(t, "{a: 1.50}")), digest(value(t, "{a: 1.5}")))
	for _, other := range []string{"{a: 2, b: [x, {c: true}]}", "{a: '1', b: [x, {c: true}]}", "{a: 1}", "{}"} {
		assert.NotEqual(t, one, digest(value(t, other)), other)
	}
	assert.NotEqual(t, digest(value(t, "{a: 9007199254740993}")), digest(value(t, "{a: 9007199254740992}")))
}

// FuzzPatch: whatever a hook writes, values are either untouched or what their
// schema allows, and replaying what was accepted gives the same.
func FuzzPatch(f *testing.F) {
	for _, seed := range []string{
		`[{"op": "add", "path": "/internal/state", "value": "up"}]`,
		`[{"op": "remove", "path": "/internal"}]`, `[{"op": "add", "path": "/internal/members/-", "value": "a"}]`,
		`[{"op": "add", "path": "/internal/members", "value": []}, {"op": "add", "path": "/internal/members/0", "value": "a"}]`,
		`{"op": "replace", "path": "/replicas", "value": 3}`, `[{"op": "add", "path": "/~1~0", "value": null}]`, `[`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := output.ParseValuesPatch([]byte(text))
		if err != nil {
			return
		}
		s := sources(t, settingsSchema, valuesSchema)
		settings := value(t, "{replicas: 2, size: 1}")
		before, err := s.Values(settings, output.ValuesPatch{})
		require.NoError(t, err)
		kept, err := Digest(before.Values)
		require.NoError(t, err)

		next, changed, err := s.Patch(t.Context(), before.Values, p)
		after, digestErr := Digest(before.Values)
		require.NoError(t, digestErr)
		assert.Equal(t, kept, after, "values are never changed in place")
		if err != nil {
			return
		}
		if changed {
			assert.NoError(t, s.Check(t.Context(), next, schema.Check{Old: before.Values}))
		}
		replayed, err := s.Values(settings, p)
		require.NoError(t, err)
		assert.True(t, object.Equal(next, replayed.Values))
	})
}
