package object

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// configMap is a document around some lines of data; its data begin on line 5.
func configMap(data string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n" + data
}

func load(t *testing.T, text string) Set {
	t.Helper()
	set, err := Load(strings.NewReader(text), "f.yaml")
	require.NoError(t, err)
	return set
}

func TestLoadValues(t *testing.T) {
	tests := map[string]struct {
		data string
		want any
	}{
		"text":                   {"  x: hello world\n", "hello world"},
		"quoted text":            {"  x: \"8080\"\n", "8080"},
		"integer":                {"  x: 8080\n", int64(8080)},
		"negative integer":       {"  x: -5\n", int64(-5)},
		"2^53+1":                 {"  x: 9007199254740993\n", int64(9007199254740993)},
		"largest int64":          {"  x: 9223372036854775807\n", int64(9223372036854775807)},
		"beyond int64":           {"  x: 9223372036854775808\n", json.Number("9223372036854775808")},
		"beyond uint64":          {"  x: 123456789012345678901234567890\n", json.Number("123456789012345678901234567890")},
		"signed, beyond":         {"  x: +123456789012345678901234567890\n", json.Number("123456789012345678901234567890")},
		"octal, as kubectl":      {"  x: 0644\n", int64(420)},
		"hexadecimal":            {"  x: 0x1F\n", int64(31)},
		"underscores":            {"  x: 1_000\n", int64(1000)},
		"fraction":               {"  x: 0.1234567890123456789\n", json.Number("0.1234567890123456789")},
		"fraction, trailing 0":   {"  x: 1.10\n", json.Number("1.10")},
		"whole fraction":         {"  x: 1.0\n", int64(1)},
		"exponent":               {"  x: 1e3\n", int64(1000)},
		"small exponent":         {"  x: 15e-1\n", json.Number("15e-1")},
		"fraction without digit": {"  x: .5\n", json.Number("0.5")},
		"too large a float":      {"  x: 1e999\n", "1e999"},
		"quantity":               {"  x: 100m\n", "100m"},
		"address":                {"  x: 10.0.0.1\n", "10.0.0.1"},
		"date":                   {"  x: 2026-01-02\n", "2026-01-02"},
		"timestamp":              {"  x: 2026-01-02T03:04:05Z\n", "2026-01-02T03:04:05Z"},
		"sexagesimal":            {"  x: 12:30:45\n", "12:30:45"},
		"true":                   {"  x: true\n", true},
		"word for a boolean":     {"  x: off\n", false},
		"quoted word":            {"  x: \"off\"\n", "off"},
		"tilde":                  {"  x: ~\n", nil},
		"nothing":                {"  x:\n", nil},
		"literal":                {"  x: |\n    one\n    two\n", "one\ntwo\n"},
		"folded":                 {"  x: >-\n    one\n    two\n", "one two"},
		"explicit text":          {"  x: !!str 5\n", "5"},
		"explicit float":         {"  x: !!float 5\n", int64(5)},
		"binary":                 {"  x: !!binary aGVsbG8=\n", "hello"},
		"unknown tag":            {"  x: !vault abc\n", "abc"},
		"merge sign as text":     {"  x: \"<<\"\n", "<<"},
		"list":                   {"  x: [1, a, null]\n", []any{int64(1), "a", nil}},
		"emoji":                  {"  x: \"\\U0001F600\"\n", "\U0001F600"},
		"alias":                  {"  base: &y {a: 1}\n  x: *y\n", map[string]any{"a": int64(1)}},
		"alias of a big number":  {"  base: &y 18446744073709551616\n  x: [*y]\n", []any{json.Number("18446744073709551616")}},
		"merge, own key wins":    {"  base: &y {a: 1, b: 18446744073709551616}\n  x: {<<: *y, a: 2}\n", map[string]any{"a": int64(2), "b": json.Number("18446744073709551616")}},
		"merge of a list":        {"  x: {<<: [{a: 1}, {a: 2, b: 3}]}\n", map[string]any{"a": int64(1), "b": int64(3)}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			set := load(t, configMap(test.data))
			require.Len(t, set.Objects, 1)
			assert.Equal(t, test.want, field(set.Objects[0].Body, "data", "x"))
		})
	}
}

func TestLoadKeys(t *testing.T) {
	set := load(t, configMap("  8080: web\n  \"on\": a\n  -: b\n  true: c\n  010: d\n  2026-01-02: e\n"))
	require.Len(t, set.Objects, 1)
	assert.Equal(t, map[string]any{
		"8080": "web", "on": "a", "-": "b", "true": "c", "8": "d", "2026-01-02": "e",
	}, set.Objects[0].Body["data"])
	require.Len(t, set.Warnings, 1)
	assert.Equal(t, `f.yaml: document 1, line 9: ConfigMap a: the plain key data.010 is read as "8"; quote it to keep it`,
		set.Warnings[0].String())
}

func TestLoadWarnings(t *testing.T) {
	tests := map[string]struct {
		text string
		want []string
	}{
		"word for a boolean": {
			configMap("  country: no\n  quoted: \"no\"\n  fine: false\n"),
			[]string{`f.yaml: document 1, line 5: ConfigMap a: data.country: a plain y, n, yes, no, on or off is read as a boolean; quote it if text is meant`},
		},
		"in a list of objects": {
			"kind: List\nitems:\n- apiVersion: v1\n  kind: A\n  metadata: {name: one}\n- apiVersion: v1\n  kind: A\n  metadata: {name: two}\n  spec:\n    on: [y]\n",
			nil, // an error: the key
		},
		"of the second item": {
			"kind: List\nitems:\n- apiVersion: v1\n  kind: A\n  metadata: {name: one}\n- apiVersion: v1\n  kind: A\n  metadata: {name: two}\n  spec:\n    x: [Y]\n",
			[]string{`f.yaml: document 1, line 10: A two: items[1].spec.x[0]: a plain y, n, yes, no, on or off is read as a boolean; quote it if text is meant`},
		},
		"merge key after a key": {
			configMap("  base: &y {a: 1, b: 2}\n  x: {a: 3, <<: *y}\n"),
			[]string{`f.yaml: document 1, line 6: ConfigMap a: the merge key << overrides a, given before it; put << first`},
		},
		"once for an anchor": {
			configMap("  base: &y {a: yes}\n  x: *y\n  z: *y\n"),
			[]string{`f.yaml: document 1, line 5: ConfigMap a: data.base.a: a plain y, n, yes, no, on or off is read as a boolean; quote it if text is meant`},
		},
		"not in JSON": {`{"apiVersion":"v1","kind":"A","metadata":{"name":"no","labels":{"y":"no"}}}`, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			set, _ := Load(strings.NewReader(test.text), "f.yaml")
			var got []string
			for _, w := range set.Warnings {
				got = append(got, w.String())
			}
			assert.Equal(t, test.want, got)
		})
	}
}

func TestLoadStreams(t *testing.T) {
	const a = "apiVersion: v1\nkind: A\nmetadata: {name: a}\n"
	const b = "apiVersion: v1\nkind: B\nmetadata: {name: b}\n"
	const jsonA = `{"apiVersion":"v1","kind":"A","metadata":{"name":"a"}}`
	tests := map[string]struct {
		text string
		want []string // Ref and origin
	}{
		"nothing":        {"", nil},
		"blank lines":    {"\n\n", nil},
		"comments":       {"# one\n---\n# two\n--- # three\n", nil},
		"null documents": {"---\n---\nnull\n---\n~\n", nil},
		"two":            {a + "---\n" + b, []string{"A a at 1/1", "B b at 2/5"}},
		"marker first": {
			text: "---\n" + a + "---\n" + b,
			want: []string{"A a at 1/2", "B b at 2/6"},
		},
		"comment before the marker": {"# license\n---\n" + a, []string{"A a at 1/3"}},
		"comment after the marker":  {"--- # first\n" + a, []string{"A a at 1/2"}},
		"flow on the marker's line": {"--- " + jsonA + "\n", []string{"A a at 1/1"}},
		"marker with blanks":        {a + "---  \t\n" + b, []string{"A a at 1/1", "B b at 2/5"}},
		"marker in a text":          {a + "x: |\n  ---\n  y\n", []string{"A a at 1/1"}},
		"four dashes are text":      {a + "x: '\n  ----'\n", []string{"A a at 1/1"}},
		"end marker": {
			text: a + "...\n# comment\n---\n" + b,
			want: []string{"A a at 1/1", "B b at 2/7"},
		},
		"end marker, bare document": {a + "...\n" + b, []string{"A a at 1/1", "B b at 2/5"}},
		"directive": {
			text: "%YAML 1.1\n---\n" + a + "...\n%YAML 1.1\n---\n" + b,
			want: []string{"A a at 1/3", "B b at 2/9"},
		},
		"byte order marks": {
			text: byteOrderMark + a + byteOrderMark + "---\n" + b,
			want: []string{"A a at 1/1", "B b at 2/5"},
		},
		"Windows line ends": {
			text: strings.ReplaceAll(a+"---\n"+b, "\n", "\r\n"),
			want: []string{"A a at 1/1", "B b at 2/5"},
		},
		"no line end": {
			text: a + "---\n" + strings.TrimSpace(b),
			want: []string{"A a at 1/1", "B b at 2/5"},
		},
		"JSON": {jsonA, []string{"A a at 1/1"}},
		"JSON in a row": {
			text: jsonA + jsonA + "\n" + jsonA,
			want: []string{"A a at 1/1", "A a at 2/1", "A a at 3/2"},
		},
		"JSON and YAML": {jsonA + "\n---\n" + b, []string{"A a at 1/1", "B b at 2/3"}},
		"JSON indented with tabs": {
			text: strings.ReplaceAll(jsonA, ",", ",\n\t"),
			want: []string{"A a at 1/1"},
		},
		"flow that is no JSON": {
			text: `{apiVersion: v1, kind: A, metadata: {name: a},}`,
			want: []string{"A a at 1/1"},
		},
		"leading comment": {"# Source: x\n" + a, []string{"A a at 1/2"}},
		"list of lists": {
			text: "kind: List\nitems:\n- kind: List\n  items:\n  - " + strings.ReplaceAll(strings.TrimSpace(a), "\n", "\n    ") + "\n",
			want: []string{"A a at 1/5"},
		},
		"typed list without kinds": {
			text: "apiVersion: v1\nkind: AList\nitems:\n- metadata: {name: a}\n",
			want: []string{"A a at 1/4"},
		},
		"typed list of null": {"apiVersion: v1\nkind: AList\nitems:\n", nil},
		"a custom kind called ...List": {
			text: "apiVersion: x.io/v1\nkind: AllowList\nmetadata: {name: a}\nitems: [1.2.3.4]\n",
			want: []string{"AllowList.x.io a at 1/1"},
		},
		"a kind List without items": {
			text: "apiVersion: x.io/v1\nkind: PriceList\nmetadata: {name: a}\n",
			want: []string{"PriceList.x.io a at 1/1"},
		},
		"items by alias": {
			text: "kind: List\nx: &x\n  " + strings.ReplaceAll(strings.TrimSpace(a), "\n", "\n  ") + "\nitems: [*x]\n",
			want: []string{"A a at 1/2"},
		},
		"name and generateName": {
			text: "apiVersion: v1\nkind: A\nmetadata: {name: a, generateName: a-}\n",
			want: []string{"A a at 1/1"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, o := range load(t, test.text).Objects {
				assert.Equal(t, "f.yaml", o.Origin.File)
				place := strings.NewReplacer("f.yaml: document ", " at ", ", line ", "/").Replace(o.Origin.String())
				got = append(got, o.Ref().String()+place)
			}
			assert.Equal(t, test.want, got)
		})
	}
}

func TestLoadSurrogatePairsOfJSON(t *testing.T) {
	set := load(t, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"\ud83d\ude00 \/","n":1e3,"b":false,"z":null,"l":[1.50]}}`)
	require.Len(t, set.Objects, 1)
	assert.Equal(t, map[string]any{"x": "\U0001F600 /", "n": int64(1000), "b": false, "z": nil, "l": []any{json.Number("1.50")}},
		set.Objects[0].Body["data"])
}

func TestLoadReadsAllOrNothing(t *testing.T) {
	_, err := Load(iotest.ErrReader(io.ErrClosedPipe), "-")
	require.ErrorIs(t, err, io.ErrClosedPipe)
	assert.ErrorContains(t, err, "read -")

	set, err := Load(strings.NewReader("apiVersion: v1\nkind: A\nmetadata: {name: a}\n---\n- x\n"), "f.yaml")
	var fault *LoadError
	require.ErrorAs(t, err, &fault)
	assert.Empty(t, set.Objects)
}

// TestLoadManyDocuments holds that documents read side by side keep their order.
func TestLoadManyDocuments(t *testing.T) {
	var text strings.Builder
	const count = 500
	for i := range count {
		text.WriteString("---\napiVersion: v1\nkind: A\nmetadata: {name: x" + strings.Repeat("x", i%7) + "}\nnumber: " + jsonInt(i) + "\n")
	}
	set := load(t, text.String())
	require.Len(t, set.Objects, count)
	for i, o := range set.Objects {
		require.Equal(t, int64(i), o.Body["number"])
		require.Equal(t, i+1, o.Origin.Document)
	}
}

func jsonInt(i int) string {
	text, _ := json.Marshal(i)
	return string(text)
}
