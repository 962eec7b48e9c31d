package object

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func mark(n int) string { return "<-- value not shown (#" + jsonInt(n) + ")" }

func TestMaskerPair(t *testing.T) {
	tests := map[string]struct{ before, after, wantBefore, wantAfter string }{
		"same, changed, added, removed": {
			`{"kind":"Secret","data":{"same":"eA==","changed":"eA==","removed":"eg=="}}`,
			`{"kind":"Secret","data":{"same":"eA==","changed":"eQ==","added":"eA=="}}`,
			`{"kind":"Secret","data":{"changed":"` + mark(1) + `","removed":"` + mark(2) + `","same":"` + mark(3) + `"}}`,
			`{"kind":"Secret","data":{"added":"` + mark(4) + `","changed":"` + mark(5) + `","same":"` + mark(3) + `"}}`,
		},
		"text and base64 of one key are the same value": {
			`{"kind":"Secret","data":{"p":"c2VjcmV0"}}`,
			`{"kind":"Secret","stringData":{"p":"secret"}}`,
			`{"kind":"Secret","data":{"p":"` + mark(1) + `"}}`,
			`{"kind":"Secret","stringData":{"p":"` + mark(1) + `"}}`,
		},
		"wrapped base64 is the same value": {
			`{"kind":"Secret","data":{"p":"c2Vj\ncmV0\n"}}`, `{"kind":"Secret","data":{"p":"c2VjcmV0"}}`,
			`{"kind":"Secret","data":{"p":"` + mark(1) + `"}}`, `{"kind":"Secret","data":{"p":"` + mark(1) + `"}}`,
		},
		"created": {
			``, `{"kind":"Secret","data":{"p":"eA=="}}`, ``, `{"kind":"Secret","data":{"p":"` + mark(1) + `"}}`,
		},
		"a side without a kind is like the other": {
			`{"spec":{"x":1}}`, `{"kind":"ConfigMap","data":{"a":"1"}}`, `{"spec":{"x":1}}`, `{"kind":"ConfigMap","data":{"a":"1"}}`,
		},
		"no kind at all": {
			`{"data":{"p":"eA=="}}`, `{"data":{"p":"eA=="},"spec":7}`,
			`{"data":{"p":"` + mark(1) + `"}}`, `{"data":{"p":"` + mark(1) + `"},"spec":"` + mark(2) + `"}`,
		},
		"sensitive on one side hides both": {
			`{"kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"1"}}`,
			`{"kind":"ConfigMap","metadata":{"name":"a","annotations":{"werf.io/sensitive":"true"}},"data":{"a":"1"}}`,
			`{"kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"` + mark(1) + `"}}`,
			`{"kind":"ConfigMap","metadata":{"name":"a","annotations":{"werf.io/sensitive":"true"}},"data":{"a":"` + mark(1) + `"}}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before, after := decodeOrNil(t, test.before), decodeOrNil(t, test.after)
			b, a := DefaultMasker().Pair(before, after)
			assert.Equal(t, decodeOrNil(t, test.wantBefore), b)
			assert.Equal(t, decodeOrNil(t, test.wantAfter), a)
			assert.Equal(t, decodeOrNil(t, test.before), before, "the argument was changed")
			assert.Equal(t, decodeOrNil(t, test.after), after, "the argument was changed")
		})
	}
}

func decodeOrNil(t *testing.T, text string) map[string]any {
	t.Helper()
	if text == "" {
		return nil
	}
	return decode(t, text)
}

func TestMaskerOne(t *testing.T) {
	const m = "<-- value not shown (#1)"
	tests := map[string]struct{ body, want string }{
		"config map": {
			body: `{"kind":"ConfigMap","data":{"a":"1"}}`,
			want: `{"kind":"ConfigMap","data":{"a":"1"}}`,
		},
		"data is a text": {
			body: `{"kind":"Secret","data":"x"}`,
			want: `{"kind":"Secret","data":"` + m + `"}`,
		},
		"data is a list": {
			body: `{"kind":"Secret","data":["x"]}`,
			want: `{"kind":"Secret","data":"` + m + `"}`,
		},
		"data is a number": {
			body: `{"kind":"Secret","data":7}`,
			want: `{"kind":"Secret","data":"` + m + `"}`,
		},
		"data is null": {
			body: `{"kind":"Secret","data":null}`,
			want: `{"kind":"Secret","data":null}`,
		},
		"a value is a mapping": {
			body: `{"kind":"Secret","data":{"a":{"b":"c"}}}`,
			want: `{"kind":"Secret","data":{"a":"` + m + `"}}`,
		},
		"a value is null": {
			body: `{"kind":"Secret","data":{"a":null}}`,
			want: `{"kind":"Secret","data":{"a":"` + m + `"}}`,
		},
		"a misspelt field": {
			body: `{"kind":"Secret","stringdata":{"a":"x"}}`,
			want: `{"kind":"Secret","stringdata":{"a":"` + m + `"}}`,
		},
		"a kind in lower case": {
			body: `{"kind":"secret","data":{"a":"x"}}`,
			want: `{"kind":"secret","data":{"a":"` + m + `"}}`,
		},
		"a Secret of a stranger": {
			body: `{"apiVersion":"x.io/v1","kind":"Secret","data":{"a":"x"},"spec":{"b":1}}`,
			want: `{"apiVersion":"x.io/v1","kind":"Secret","data":{"a":"` + m + `"},"spec":{"b":1}}`,
		},
		"what says what it is": {
			body: `{"kind":"Secret","type":"Opaque","immutable":true,"metadata":{"name":"a"}}`,
			want: `{"kind":"Secret","type":"Opaque","immutable":true,"metadata":{"name":"a"}}`,
		},
		"not sensitive after all": {
			body: `{"kind":"Secret","metadata":{"annotations":{"werf.io/sensitive":"false"}},"data":{"a":"x"}}`,
			want: `{"kind":"Secret","metadata":{"annotations":{"werf.io/sensitive":"false"}},"data":{"a":"` + m + `"}}`,
		},
		"last applied": {
			body: `{"kind":"Role","metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"x","a":"b"}}}`,
			want: `{"kind":"Role","metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"` + m + `","a":"b"}}}`,
		},
		"kapp's original": {
			body: `{"kind":"Role","metadata":{"annotations":{"kapp.k14s.io/original-diff-md5":"x"}}}`,
			want: `{"kind":"Role","metadata":{"annotations":{"kapp.k14s.io/original-diff-md5":"` + m + `"}}}`,
		},
		"annotations are a text": {
			body: `{"kind":"Role","metadata":{"annotations":"x"}}`,
			want: `{"kind":"Role","metadata":{"annotations":"` + m + `"}}`,
		},
		"metadata is a text": {
			body: `{"kind":"Secret","metadata":"x"}`,
			want: `{"kind":"Secret","metadata":"` + m + `"}`,
		},
		"in a list": {
			body: `{"kind":"List","items":[{"kind":"ConfigMap","data":{"a":"1"}},{"kind":"Secret","data":{"a":"x"}}]}`,
			want: `{"kind":"List","items":[{"kind":"ConfigMap","data":{"a":"1"}},{"kind":"Secret","data":{"a":"` + m + `"}}]}`,
		},
		"in a typed list": {
			body: `{"kind":"SecretList","items":[{"data":{"a":"x"}}]}`,
			want: `{"kind":"SecretList","items":[{"data":{"a":"` + m + `"}}]}`,
		},
		"in a list, no kind": {
			body: `{"kind":"List","items":[{"data":{"a":"x"}}]}`,
			want: `{"kind":"List","items":[{"data":{"a":"` + m + `"}}]}`,
		},
		"in a list in a list": {
			body: `{"kind":"List","items":[{"kind":"List","items":[{"kind":"Secret","data":{"a":"x"}}]}]}`,
			want: `{"kind":"List","items":[{"kind":"List","items":[{"kind":"Secret","data":{"a":"` + m + `"}}]}]}`,
		},
		"an item is a text": {
			body: `{"kind":"List","items":["x"]}`,
			want: `{"kind":"List","items":["` + m + `"]}`,
		},
		"items are a mapping": {
			body: `{"kind":"List","items":{"a":"x"}}`,
			want: `{"kind":"List","items":"` + m + `"}`,
		},
		"inside another object": {
			body: `{"kind":"Work","spec":{"objects":[{"kind":"Secret","stringData":{"a":"x"}}]}}`,
			want: `{"kind":"Work","spec":{"objects":[{"kind":"Secret","stringData":{"a":"` + m + `"}}]}}`,
		},
		"a reference": {
			body: `{"kind":"Work","spec":{"ref":{"kind":"Secret","name":"a"}}}`,
			want: `{"kind":"Work","spec":{"ref":{"kind":"Secret","name":"a"}}}`,
		},
		"sensitive paths": {
			body: `{"kind":"App","metadata":{"annotations":{"werf.io/sensitive-paths":"$.spec.env[*].value"}},"spec":{"env":[{"name":"a","value":"x"},{"name":"b"}]}}`,
			want: `{"kind":"App","metadata":{"annotations":{"werf.io/sensitive-paths":"$.spec.env[*].value"}},"spec":{"env":[{"name":"a","value":"` + m + `"},{"name":"b"}]}}`,
		},
		"paths nobody understands": {
			body: `{"kind":"App","metadata":{"annotations":{"werf.io/sensitive-paths":"$..value"}},"spec":"x"}`,
			want: `{"kind":"App","metadata":{"annotations":{"werf.io/sensitive-paths":"$..value"}},"spec":"` + m + `"}`,
		},
		"an annotation that is no text": {
			body: `{"kind":"App","metadata":{"annotations":{"werf.io/sensitive-paths":7}},"spec":"x"}`,
			want: `{"kind":"App","metadata":{"annotations":{"werf.io/sensitive-paths":7}},"spec":"` + m + `"}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, decode(t, test.want), DefaultMasker().One(decode(t, test.body)))
		})
	}
	assert.Nil(t, DefaultMasker().One(nil))
}

func TestMaskerUserRules(t *testing.T) {
	body := `{"apiVersion":"demo.example/v1","kind":"App","spec":{"password":"x","deep":{"a":{"b":1},"c":2},"list":[{"token":"y"},{"token":"y"}],"flat":["p","q"]}}`
	const m1, m2 = "<-- value not shown (#1)", "<-- value not shown (#2)"
	tests := map[string]struct {
		rule MaskRule
		path []string
		want any
	}{
		"a scalar": {
			rule: MaskRule{Group: "demo.example", Kind: "App", Paths: []Path{{"spec", "password"}}},
			path: []string{"spec", "password"},
			want: m1,
		},
		"another group": {
			rule: MaskRule{Kind: "App", Paths: []Path{{"spec", "password"}}},
			path: []string{"spec", "password"},
			want: "x",
		},
		"any group": {
			rule: MaskRule{Group: "*", Kind: "App", Paths: []Path{{"spec", "password"}}},
			path: []string{"spec", "password"},
			want: m1,
		},
		"any kind": {
			rule: MaskRule{Paths: []Path{{"spec", "password"}}},
			path: []string{"spec", "password"},
			want: m1,
		},
		"a mapping keeps its keys": {
			rule: MaskRule{Paths: []Path{{"spec", "deep"}}},
			path: []string{"spec", "deep"},
			want: map[string]any{"a": m1, "c": m2},
		},
		"all of a list": {
			rule: MaskRule{Paths: []Path{{"spec", "list", "*", "token"}}},
			path: []string{"spec", "list"},
			want: []any{map[string]any{"token": m1}, map[string]any{"token": m2}},
		},
		"an index": {
			rule: MaskRule{Paths: []Path{{"spec", "list", "1", "token"}}},
			path: []string{"spec", "list"},
			want: []any{map[string]any{"token": "y"}, map[string]any{"token": m1}},
		},
		"the list forgotten in the path": {
			rule: MaskRule{Paths: []Path{{"spec", "list", "token"}}},
			path: []string{"spec", "list"},
			want: []any{map[string]any{"token": m1}, map[string]any{"token": m2}},
		},
		"items that are texts": {
			rule: MaskRule{Paths: []Path{{"spec", "flat", "*"}}},
			path: []string{"spec", "flat"},
			want: []any{m1, m2},
		},
		"a list at the end of a path": {
			rule: MaskRule{Paths: []Path{{"spec", "flat"}}},
			path: []string{"spec", "flat"},
			want: m1,
		},
		"a text where the path goes on": {
			rule: MaskRule{Paths: []Path{{"spec", "password", "value"}}},
			path: []string{"spec", "password"},
			want: m1,
		},
		"a path to nothing": {
			rule: MaskRule{Paths: []Path{{"spec", "nothing", "x"}}},
			path: []string{"spec", "password"},
			want: "x",
		},
		"two rules for one place": {
			rule: MaskRule{Paths: []Path{{"spec", "password"}, {"spec", "pass*"}}},
			path: []string{"spec", "password"},
			want: m1,
		},
		"a path into what is hidden": {
			rule: MaskRule{Paths: []Path{{"spec"}, {"spec", "deep", "a"}}},
			path: []string{"spec", "deep"},
			want: m1,
		},
		"everything but": {
			rule: MaskRule{Open: []string{"apiVersion", "kind"}},
			path: []string{"spec", "password"},
			want: "<-- value not shown (#4)",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := DefaultMasker()
			m.Rules = append(m.Rules, test.rule)
			assert.Equal(t, test.want, field(m.One(decode(t, body)), test.path...))
		})
	}
}

func TestMaskerShow(t *testing.T) {
	m := DefaultMasker()
	m.Show = true
	body := decode(t, `{"kind":"Secret","data":{"a":"eA=="}}`)
	shown := m.One(body)
	assert.Equal(t, body, shown)
	shown["data"].(map[string]any)["a"] = "changed"
	assert.Equal(t, "eA==", field(body, "data", "a"), "a copy all the same")
	assert.Equal(t, "text x", m.Scrub("text x", body))
}

func TestMaskerMasked(t *testing.T) {
	for body, want := range map[string]bool{
		`{"apiVersion":"v1","kind":"Secret"}`:                                                                    true,
		`{"apiVersion":"v1","kind":"ConfigMap"}`:                                                                 false,
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"annotations":{"werf.io/sensitive":"true"}}}`:         true,
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"annotations":{"werf.io/sensitive-paths":"$.data"}}}`: true,
	} {
		assert.Equal(t, want, DefaultMasker().Masked(decode(t, body)), body)
	}
}

// TestMarksTellNothing: case S05 asks for marks of one length that don't depend
// on the value, nor on whether another key has the same one.
func TestMarksTellNothing(t *testing.T) {
	short := DefaultMasker().One(decode(t, `{"kind":"Secret","stringData":{"a":"1","b":"1"}}`))
	long := DefaultMasker().One(decode(t, `{"kind":"Secret","stringData":{"a":"`+strings.Repeat("x", 999)+`","b":"y"}}`))
	assert.Equal(t, short, long)
}

func TestCaseS01NoValueInADiff(t *testing.T) {
	before := loadCase(t, "S01/1-secret.yaml").Objects[0].Body
	after := loadCase(t, "S01/2-secret.yaml").Objects[0].Body
	b, a := DefaultMasker().Pair(before, after)
	text := encoded(t, b) + encoded(t, a)
	for _, secret := range []string{"c3dvcmQ", "swordfish", "first-pass", "Zmlyc3QtcGFzcw", "second-pass", "c2Vjb25kLXBhc3M", "steady-value", "brand-new-value"} {
		assert.NotContains(t, text, secret)
	}
	assert.Equal(t, field(b, "stringData", "same"), field(a, "stringData", "same"))
	assert.NotEqual(t, field(b, "data", "password"), field(a, "data", "password"))
	assert.Contains(t, b["data"], "gone")
	assert.Contains(t, a["stringData"], "fresh")
}

func TestCaseS07SecretInAList(t *testing.T) {
	list := decode(t, `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Secret","metadata":{"name":"boxed"},"stringData":{"pass":"inner-secret-value"}}]}`)
	assert.NotContains(t, encoded(t, DefaultMasker().One(list)), "inner-secret-value")

	secret := loadCase(t, "S07/1-list.yaml").Objects[0].Body
	configMap := loadCase(t, "S07/2-configmap.yaml").Objects[0].Body
	b, a := DefaultMasker().Pair(secret, configMap)
	assert.NotContains(t, encoded(t, b), "inner-secret-value")
	assert.Contains(t, encoded(t, a), "db.example", "the ConfigMap's own values are shown")
}

// encoded is everything that printers could make of a body.
func encoded(t *testing.T, body map[string]any) string {
	t.Helper()
	if body == nil {
		return ""
	}
	asYAML, err := EncodeYAML(body)
	require.NoError(t, err)
	asJSON, err := EncodeJSON(body)
	require.NoError(t, err)
	return string(asYAML) + string(asJSON)
}

func TestParseJSONPaths(t *testing.T) {
	tests := map[string][]Path{
		"$.spec.a":            {{"spec", "a"}},
		"spec.a":              {{"spec", "a"}},
		".spec.a":             {{"spec", "a"}},
		"$.spec.env[*].value": {{"spec", "env", "*", "value"}},
		"$.spec.env[3]":       {{"spec", "env", "3"}},
		"$.data.*":            {{"data", "*"}},
		"$.data['a.b']":       {{"data", "a.b"}},
		`$.data["a.b"][0]`:    {{"data", "a.b", "0"}},
		"$['data']":           {{"data"}},
		"$.a, $.b":            {{"a"}, {"b"}},
		`$.data['a\,b'],$.c`:  {{"data", "a,b"}, {"c"}},
		"$..a":                nil,
		"$":                   nil,
		"":                    nil,
		"$.a[?(@.b)]":         nil,
		"$.a[1:2]":            nil,
		"$.a[-1]":             nil,
		"$.a[":                nil,
		"$.a['b'":             nil,
		"$.a['b'x]":           nil,
		"$.a.":                nil,
		"$.a,$..b":            nil,
		"$.da*":               nil,
		"$a":                  nil,
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			got, ok := parseJSONPaths(text)
			assert.Equal(t, want != nil, ok)
			assert.Equal(t, want, got)
		})
	}
}
