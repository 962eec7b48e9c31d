package document

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStream(t *testing.T) {
	one, two := map[string]any{"a": int64(1)}, map[string]any{"b": int64(2)}
	for name, tt := range map[string]struct {
		text  string
		want  []any
		lines []int
	}{
		"nothing":                      {"", nil, nil},
		"comments and dashes":          {"# nothing\n---\n---\n# here\n", nil, nil},
		"one YAML":                     {"a: 1\n", []any{one}, []int{1}},
		"two YAML":                     {"a: 1\n---\nb: 2\n", []any{one, two}, []int{1, 2}},
		"a comment after the dashes":   {"--- # first\na: 1\n--- # second\nb: 2", []any{one, two}, []int{1, 3}},
		"on the line of the dashes":    {"--- {a: 1}\n--- {b: 2}\n", []any{one, two}, []int{1, 2}},
		"windows line ends":            {"a: 1\r\n---\r\nb: 2\r\n", []any{one, two}, []int{1, 2}},
		"JSON lines":                   {"{\"a\":1}\n{\"b\":2}\n", []any{one, two}, []int{1, 2}},
		"JSON without space":           {`{"a":1}{"b":2}`, []any{one, two}, []int{1, 1}},
		"JSON over lines":              {"{\n\"a\":\n1}\n\n{\"b\":2}", []any{one, two}, []int{1, 5}},
		"JSON, then YAML":              {"{\"a\":1}\n---\nb: 2\n", []any{one, two}, []int{1, 2}},
		"YAML, then JSON":              {"a: 1\n---\n{\"b\":2}\n", []any{one, two}, []int{1, 3}},
		"YAML that begins like JSON":   {"{a: 1}\n---\n{b: 2}", []any{one, two}, []int{1, 2}},
		"a list":                       {"[1, x]", []any{[]any{int64(1), "x"}}, []int{1}},
		"null is left out":             {"null\n---\na: 1", []any{one}, []int{2}},
		"quoted words":                 {"{\"n\": 1, 'off': 2, none: 3}", []any{map[string]any{"n": int64(1), "off": int64(2), "none": int64(3)}}, []int{1}},
		"a byte order mark":            {"\uFEFFa: 1", []any{one}, []int{1}},
		"dashes within a value":        {"a: 1 --- 2\n", []any{map[string]any{"a": "1 --- 2"}}, []int{1}},
		"a word of dashes":             {"----\n", []any{"----"}, []int{1}},
		"numbers":                      {`{"i":9007199254740993,"f":1.10,"h":123456789012345678901,"e":1e3}`, []any{map[string]any{"i": int64(9007199254740993), "f": json.Number("1.10"), "h": json.Number("123456789012345678901"), "e": int64(1000)}}, []int{1}},
		"characters outside the plane": {`{"a":"\ud83d\ude00<&>"}`, []any{map[string]any{"a": "😀<&>"}}, []int{1}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Stream([]byte(tt.text))
			require.NoError(t, err)
			var values []any
			var lines []int
			for i, d := range got {
				assert.Equal(t, i+1, d.Number)
				values = append(values, d.Value)
				lines = append(lines, d.Line)
			}
			assert.Equal(t, tt.want, values)
			assert.Equal(t, tt.lines, lines)
		})
	}
}

func TestStreamFaults(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"cut off JSON":           {`{"a":1}` + "\n" + `{"b":`, "line 2, column 6: not JSON: unexpected EOF"},
		"broken JSON":            {"{\"a\":1}\n{\"b\":tru}", "line 2, column 9: not JSON: invalid character '}' in literal true (expecting 'e')"},
		"broken first JSON":      {`{"a":1,}x`, "line 1, column 8: not JSON: invalid character '}' looking for beginning of object key string"},
		"a key twice in JSON":    {`{"x":{"a":1,"b":2,"a":3}}`, `line 1, column 19: key "a" is there twice`},
		"a key twice in a list":  {"[\n {\"k\":{},\"k\":[]}]", `line 2, column 10: key "k" is there twice`},
		"a key twice in YAML":    {"x: 1\n---\na: 1\nb: 2\na: 3\n", `line 5: not YAML: key "a" already set in map`},
		"a tab in YAML":          {"a:\n\tb: 1\n", "line 2: not YAML: found character that cannot start any token"},
		"an unknown anchor":      {"a: *b\n", "not YAML: unknown anchor 'b' referenced"},
		"not UTF-8":              {"a: \xff\n", "line 1, column 4: not UTF-8"},
		"a NUL byte":             {"a: \x00\n", "line 1, column 4: a NUL byte"},
		"text after JSON":        {`{"a":1} end`, "line 1, column 9: not JSON: invalid character 'e' looking for beginning of value"},
		"too deep":               {strings.Repeat("[", 20000), "line 1, column 10001: not JSON: invalid character '[' exceeded max depth"},
		"YAML in a part, broken": {"a: 1\n---\nb: [1\n", "line 3: not YAML: did not find expected ',' or ']'"},
		"text after YAML":        {"a: {b: 1} c\n", "not YAML: did not find expected key"},
		"text after YAML in {}":  {"{a: 1} b\n", "line 1: something follows the document; documents are divided by a line of three dashes"},
		"text after one in {}":   {"--- {a: 1}\nb: 1\n", "line 1: something follows the document; documents are divided by a line of three dashes"},
		"a key that is no text":  {"x: 1\n---\n- data: {a: 1, n: 2}\n", "line 3, column 16: the plain key n is read as a boolean; quote it"},
		"a line of dots":         {"a: 1\n...\nb: 2\n", "line 2: something follows the document; documents are divided by a line of three dashes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Stream([]byte(tt.text))
			var syntax *SyntaxError
			require.ErrorAs(t, err, &syntax)
			assert.EqualError(t, err, tt.want)
		})
	}
}

func TestStringsAreNoKeys(t *testing.T) {
	got, err := Stream([]byte(`{"a":"a","b":["a","a",{"a":"b","b":"a"}],"c":{"a":null,"c":"c"}}`))
	require.NoError(t, err)
	assert.Len(t, got, 1)
}

func TestOne(t *testing.T) {
	value, err := One([]byte("a: 1"))
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"a": int64(1)}, value)
	_, err = One([]byte(" # none"))
	assert.ErrorIs(t, err, ErrEmpty)
	_, err = One([]byte("a: 1\n---\nb: 2"))
	assert.EqualError(t, err, "line 2: wanted one document, found another one")
	_, err = OneJSON([]byte("a: 1"))
	assert.EqualError(t, err, "line 1, column 1: not JSON: invalid character 'a' looking for beginning of value")
	_, err = OneJSON(nil)
	assert.ErrorIs(t, err, ErrEmpty)
	list, err := JSONStream([]byte(`1 null "x"`))
	require.NoError(t, err)
	assert.Len(t, list, 2)
}

func TestReader(t *testing.T) {
	r := &Reader{}
	var got struct {
		text, filled, word string
		texts              []string
		truth              bool
		number             int64
		null               bool
	}
	fields := []Field{
		{Key: "text", Read: func(v any, at string) { got.text = r.Text(v, at) }},
		{Key: "filled", Read: func(v any, at string) { got.filled = r.Filled(v, at) }},
		{Key: "word", Read: func(v any, at string) { got.word = r.Word(v, at, "a", "b") }},
		{Key: "texts", Read: func(v any, at string) { got.texts = r.Texts(v, at) }},
		{Key: "truth", Read: func(v any, at string) { got.truth = r.Truth(v, at) }},
		{Key: "number", Read: func(v any, at string) { got.number = r.Integer(v, at, 1, 5) }},
		{Key: "none", Null: true, Read: func(v any, _ string) { got.null = v == nil }},
	}
	value, err := One([]byte(`{text: "", filled: f, word: b, texts: [x], truth: true, number: 3, none: null}`))
	require.NoError(t, err)
	assert.True(t, r.Mapping(value, "", fields))
	assert.Empty(t, r.Findings)
	assert.Equal(t, "f b", got.filled+" "+got.word)
	assert.Equal(t, []string{"x"}, got.texts)
	assert.True(t, got.truth && got.null)
	assert.Equal(t, int64(3), got.number)

	value, err = One([]byte(`{text: 1, filled: " ", word: c, texts: [x, 1], truth: yep, number: 9, Numbers: 1, other: 1}`))
	require.NoError(t, err)
	r.Mapping(value, "in", fields)
	r.Mapping([]any{}, "list", nil)
	r.List("x", "text", nil)
	r.Integer("x", "n", 0, 1)
	r.Integer(int64(0), "low", 1, 9223372036854775807)
	r.Integer(int64(2), "high", -9223372036854775808, 1)
	r.Word(nil, "w", "a")
	var texts []string
	for _, f := range r.Findings {
		texts = append(texts, f.String())
	}
	assert.Equal(t, []string{
		"in.text: wanted text, found a number",
		"in.filled: is empty",
		`in.word: wanted one of a, b, found "c"`,
		"in.texts[1]: wanted text, found a number",
		"in.truth: wanted true or false, found text",
		"in.number: wanted a whole number from 1 to 5, found 9",
		`in: unknown key "Numbers"; did you mean number?`,
		`in: unknown key "other"`,
		"list: wanted a mapping, found a list",
		"text: wanted a list, found text",
		"n: wanted a whole number, found text",
		"low: wanted a whole number of at least 1, found 0",
		"high: wanted a whole number of at most 1, found 2",
		"w: wanted one of a, found nothing",
	}, texts)
	assert.Equal(t, "a boolean", KindOf(true))

	var unknown []string
	r = &Reader{Unknown: func(key, at string) { unknown = append(unknown, Join(at, key)) }}
	r.Mapping(map[string]any{"b": 1, "a": 2}, "x", nil)
	assert.Equal(t, []string{"x.a", "x.b"}, unknown)
	assert.Empty(t, r.Findings)
}
