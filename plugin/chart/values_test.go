package chart

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// secret must be in no error text.
const secret = "hunter2-hunter2"

func TestSchemaFindings(t *testing.T) {
	const schema = `{"type": "object", "required": ["host"], "additionalProperties": false, "properties": {
	  "host": {"type": "string"}, "port": {"type": "integer", "maximum": 10}, "mode": {"enum": ["a", "b"]},
	  "password": {"type": "string", "pattern": "^[0-9]+$", "maxLength": 3},
	  "list": {"items": {"type": "object", "required": ["x"]}}}}`
	tests := map[string]struct {
		values map[string]any
		want   string
	}{
		"missing":  {map[string]any{}, "demo/values.schema.json: missing: host"},
		"type":     {map[string]any{"host": true}, "demo/values.schema.json: wanted string, found boolean (host)"},
		"maximum":  {map[string]any{"host": "h", "port": 11}, "demo/values.schema.json: wanted at most 10 (port)"},
		"enum":     {map[string]any{"host": "h", "mode": secret}, "demo/values.schema.json: wanted one of [a b] (mode)"},
		"unknown":  {map[string]any{"host": "h", "prot": 1}, "demo/values.schema.json: not known to the schema: prot"},
		"in lists": {map[string]any{"host": "h", "list": []any{map[string]any{}}}, "demo/values.schema.json: missing: x (list[0])"},
		"two": {
			map[string]any{"host": "h", "password": secret},
			"2 problems:\n  demo/values.schema.json: wanted at most 3 characters (password)\n" +
				"  demo/values.schema.json: wanted text that matches ^[0-9]+$ (password)",
		},
	}
	c := chartOf(t, "-- values.schema.json --\n"+schema+"\n-- templates/a.yaml --\n"+configMap)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := request()
			r.Values = test.values
			_, err := c.Render(t.Context(), r)
			require.EqualError(t, err, "chart demo: values: "+test.want)
			assert.NotContains(t, err.Error(), secret)
			var invalid *ValuesError
			assert.ErrorAs(t, err, &invalid)

			r.SkipSchema = true
			render(t, c, r)
		})
	}
}

func TestSchemaOfSubChart(t *testing.T) {
	c := chartOf(t, `
-- charts/sub/Chart.yaml --
{apiVersion: v2, name: sub, version: 0.1.0}
-- charts/sub/values.yaml --
size: small
-- charts/sub/values.schema.json --
{"properties": {"size": {"type": "integer"}}}
`)
	_, err := c.Render(t.Context(), request())
	assert.EqualError(t, err, "chart demo: values: demo/charts/sub/values.schema.json: wanted integer, found string (size)")
}

func TestSchemaElsewhereIsNotFetched(t *testing.T) {
	for _, ref := range []string{"https://schemas.example/a.json", "file:///etc/passwd", "urn:example:a"} {
		c := chartOf(t, `-- values.schema.json --
{"properties": {"a": {"$ref": "`+ref+`"}}}
-- templates/a.yaml --
`+configMap)
		result := render(t, c, request())
		assert.Equal(t, "demo/values.schema.json: it refers to "+ref+", which is not fetched: the values are not checked", warnings(result))
	}
}

func TestSchemaThatIsNone(t *testing.T) {
	c := chartOf(t, "-- values.schema.json --\n{\"type\": \"banana\"}\n-- templates/a.yaml --\n"+configMap)
	_, err := c.Render(t.Context(), request())
	assert.ErrorContains(t, err, "chart demo: values: demo/values.schema.json: no JSON schema: ")
}

func TestValuesOfAnotherShape(t *testing.T) {
	c := chartOf(t, `
-- values.yaml --
a: {b: {c: 1}}
d: text
gone: 1
-- charts/sub/Chart.yaml --
{apiVersion: v2, name: sub, version: 0.1.0}
-- charts/sub/values.yaml --
e: {f: 1}
-- templates/a.yaml --
`+configMap+`data: {a: {{ .Values.a.b | quote }}, d: {{ .Values.d.x | quote }}, gone: '{{ hasKey .Values "gone" }}'}
`)
	r := request()
	r.Values = map[string]any{
		"a": map[string]any{"b": "flat"}, "d": map[string]any{"x": "deep"}, "gone": nil,
		"sub": map[string]any{"e": []any{}},
	}
	result := render(t, c, r)
	assert.Equal(t, map[string]any{"a": "flat", "d": "deep", "gone": "false"}, data(t, result.Objects[0]))
	assert.Equal(t, "demo/values.yaml: a.b: the chart has a map here, the values have text, which is used\n"+
		"demo/values.yaml: d: the chart has text here, the values have a map, which is used\n"+
		"demo/charts/sub/values.yaml: sub.e: the chart has a map here, the values have a list, which is used", warnings(result))
}

func TestValuesOfSubChartMustBeAMap(t *testing.T) {
	c := chartOf(t, subCharts)
	tests := map[string]map[string]any{
		"demo/values.yaml: values of the sub-chart db: wanted a map, found text (db)":   {"db": secret},
		"demo/values.yaml: values of the sub-chart hot: wanted a map, found null (hot)": {"hot": nil},
	}
	for want, values := range tests {
		r := request()
		r.Values = values
		_, err := c.Render(t.Context(), r)
		assert.EqualError(t, err, "chart demo: values: "+want)
	}
}

func TestReadInline(t *testing.T) {
	values, err := ReadInline([]byte("million: 1000000\nid: 9007199254740993\nhuge: 1e400\nhalf: 0.5\nlist: [1, {a: -9223372036854775808}]\n"), "tazuna.yaml")
	require.NoError(t, err)
	assert.Equal(t, map[string]any{
		"million": float64(1000000), "id": int64(9007199254740993), "huge": "1e400", "half": 0.5,
		"list": []any{float64(1), map[string]any{"a": float64(-9223372036854775808)}},
	}, values)
	values, err = ReadInline(nil, "tazuna.yaml")
	require.NoError(t, err)
	assert.Empty(t, values)
	for _, text := range []string{"a: [", "- a"} {
		_, err = ReadInline([]byte(text), "tazuna.yaml")
		assert.ErrorContains(t, err, "read values tazuna.yaml: ")
	}
}

func TestReadAndMergeValues(t *testing.T) {
	base, err := ReadValues([]byte("a: {b: 1, c: 2}\n---\na: {b: 3}\nd: [1]\n"), "base.yaml")
	require.NoError(t, err)
	over := map[string]any{"a": map[string]any{"c": nil}, "d": []any{}}
	merged := MergeValues(base, over)
	assert.Equal(t, map[string]any{"a": map[string]any{"b": float64(3), "c": nil}, "d": []any{}}, merged)

	merged["a"].(map[string]any)["b"] = "changed"
	assert.Equal(t, float64(3), base["a"].(map[string]any)["b"], "nothing is shared")

	_, err = ReadValues([]byte("a: ["), "base.yaml")
	assert.ErrorContains(t, err, "read values base.yaml: ")
}
