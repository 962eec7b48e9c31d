package output

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// value decodes JSON with the program's numbers.
func value(t testing.TB, text string) any {
	t.Helper()
	body, err := object.DecodeJSON([]byte(`{"v":` + text + `}`))
	require.NoError(t, err)
	return body["v"]
}

func encoded(t testing.TB, v any) string {
	t.Helper()
	data, err := object.EncodeJSON(v)
	require.NoError(t, err)
	return string(data)
}

// steps reads a JSON patch with all kinds of steps.
func steps(t testing.TB, text string) (JSONPatch, error) {
	t.Helper()
	f := &faults{file: "FILE"}
	patch := f.patchSteps(value(t, text), "", OpAdd, OpRemove, OpReplace, OpMove, OpCopy, OpTest)
	return patch, f.err()
}

func TestJSONPatch(t *testing.T) {
	for name, tt := range map[string]struct{ value, patch, want string }{
		"add a key":             {`{"a":1}`, `[{"op":"add","path":"/b","value":2}]`, `{"a":1,"b":2}`},
		"add over a key":        {`{"a":1}`, `[{"op":"add","path":"/a","value":null}]`, `{"a":null}`},
		"add to a list":         {`{"l":[1,3]}`, `[{"op":"add","path":"/l/1","value":2}]`, `{"l":[1,2,3]}`},
		"add at the end":        {`{"l":[1]}`, `[{"op":"add","path":"/l/-","value":2},{"op":"add","path":"/l/2","value":3}]`, `{"l":[1,2,3]}`},
		"add the whole":         {`{"a":1}`, `[{"op":"add","path":"","value":[1]}]`, `[1]`},
		"add deep":              {`{"a":{"b":[{"c":1}]}}`, `[{"op":"add","path":"/a/b/0/d","value":2}]`, `{"a":{"b":[{"c":1,"d":2}]}}`},
		"escapes":               {`{"a/b":{"m~n":1}}`, `[{"op":"replace","path":"/a~1b/m~0n","value":2},{"op":"add","path":"/~01","value":3}]`, `{"a/b":{"m~n":2},"~1":3}`},
		"an empty key":          {`{"":{"":1}}`, `[{"op":"remove","path":"//"}]`, `{"":{}}`},
		"remove a key":          {`{"a":1,"b":2}`, `[{"op":"remove","path":"/a"}]`, `{"b":2}`},
		"remove from a list":    {`[1,2,3]`, `[{"op":"remove","path":"/0"},{"op":"remove","path":"/1"}]`, `[2]`},
		"replace":               {`{"a":[1,2]}`, `[{"op":"replace","path":"/a/1","value":{"x":1}}]`, `{"a":[1,{"x":1}]}`},
		"replace the whole":     {`{"a":1}`, `[{"op":"replace","path":"","value":"x"}]`, `"x"`},
		"move":                  {`{"a":{"b":1},"c":{}}`, `[{"op":"move","from":"/a/b","path":"/c/d"}]`, `{"a":{},"c":{"d":1}}`},
		"move within a list":    {`[1,2,3]`, `[{"op":"move","from":"/0","path":"/2"}]`, `[2,3,1]`},
		"move to itself":        {`{"a":1}`, `[{"op":"move","from":"/a","path":"/a"}]`, `{"a":1}`},
		"copy":                  {`{"a":{"b":[1]}}`, `[{"op":"copy","from":"/a","path":"/c"},{"op":"add","path":"/c/b/-","value":2}]`, `{"a":{"b":[1]},"c":{"b":[1,2]}}`},
		"test":                  {`{"a":{"b":[1,1.0]}}`, `[{"op":"test","path":"/a","value":{"b":[1.0,1]}},{"op":"test","path":"","value":{"a":{"b":[1,1]}}}]`, `{"a":{"b":[1,1]}}`},
		"nothing":               {`{"a":1}`, `[]`, `{"a":1}`},
		"a number stays exact":  {`{"a":9007199254740993}`, `[{"op":"copy","from":"/a","path":"/b"}]`, `{"a":9007199254740993,"b":9007199254740993}`},
		"a key that is numeric": {`{"0":1}`, `[{"op":"remove","path":"/0"}]`, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			before := value(t, tt.value)
			patch, err := steps(t, tt.patch)
			require.NoError(t, err)
			got, err := patch.Apply(before)
			require.NoError(t, err)
			assert.Equal(t, tt.want, encoded(t, got))
			assert.Equal(t, value(t, tt.value), before, "the value is as it was")
			again, err := steps(t, encoded(t, patch))
			require.NoError(t, err)
			assert.Equal(t, patch, again, "it is written as it is read")
		})
	}
}

func TestJSONPatchFails(t *testing.T) {
	const v = `{"a":{"b":1},"l":[1,2],"s":"text"}`
	for patch, want := range map[string]string{
		`[{"op":"add","path":"/x/y","value":1}]`:                                       "step 1 (add /x/y): there is no /x",
		`[{"op":"add","path":"/s/y","value":1}]`:                                       "step 1 (add /s/y): there is no /s",
		`[{"op":"add","path":"/s/y/z","value":1}]`:                                     "step 1 (add /s/y/z): there is no /s/y",
		`[{"op":"add","path":"/l/3","value":1}]`:                                       "step 1 (add /l/3): there is no /l/3",
		`[{"op":"add","path":"/l/01","value":1}]`:                                      "step 1 (add /l/01): there is no /l/01",
		`[{"op":"add","path":"/l/x/y","value":1}]`:                                     "step 1 (add /l/x/y): there is no /l/x",
		`[{"op":"remove","path":"/zzz"}]`:                                              "step 1 (remove /zzz): there is no /zzz",
		`[{"op":"remove","path":"/l/2"}]`:                                              "step 1 (remove /l/2): there is no /l/2",
		`[{"op":"remove","path":"/l/-"}]`:                                              "step 1 (remove /l/-): there is no /l/-",
		`[{"op":"remove","path":""}]`:                                                  "step 1 (remove ): the whole can't be removed",
		`[{"op":"remove","path":"/a/b"},{"op":"replace","path":"/a/b","value":1}]`:     "step 2 (replace /a/b): there is no /a/b",
		`[{"op":"replace","path":"/l/9","value":1}]`:                                   "step 1 (replace /l/9): there is no /l/9",
		`[{"op":"move","from":"/a","path":"/a/b/c"}]`:                                  "step 1 (move /a/b/c): a value can't be moved into itself",
		`[{"op":"move","from":"/none","path":"/b"}]`:                                   "step 1 (move /b): there is no /none",
		`[{"op":"copy","from":"/s/x","path":"/b"}]`:                                    "step 1 (copy /b): there is no /s/x",
		`[{"op":"test","path":"/s","value":"secret"}]`:                                 "step 1 (test /s): the value there is another one",
		`[{"op":"test","path":"/none","value":null}]`:                                  "step 1 (test /none): there is no /none",
		`[{"op":"add","path":"/ok","value":1},{"op":"test","path":"/a","value":null}]`: "step 2 (test /a): the value there is another one",
	} {
		t.Run(patch, func(t *testing.T) {
			p, err := steps(t, patch)
			require.NoError(t, err)
			before := value(t, v)
			_, err = p.Apply(before)
			assert.EqualError(t, err, want)
			assert.Equal(t, value(t, v), before)
		})
	}
}

func TestPatchStepsAreStrict(t *testing.T) {
	for patch, want := range map[string]string{
		`{}`:                                                "FILE: wanted a list, found a mapping",
		`[1]`:                                               "FILE: [0]: wanted a mapping, found a number",
		`[{"path":"/a"}]`:                                   "FILE: [0].op: is missing",
		`[{"op":"add","value":1}]`:                          "FILE: [0].path: is missing",
		`[{"op":"add","path":"/"}]`:                         "FILE: [0].value: is missing",
		`[{"op":"move","path":"/a"}]`:                       "FILE: [0].from: is missing",
		`[{"op":"set","path":"/a"}]`:                        `FILE: [0].op: wanted one of add, remove, replace, move, copy, test, found "set"`,
		`[{"op":"add","path":"a","value":1}]`:               `FILE: [0].path: wanted a path that begins with /: "a"`,
		`[{"op":"add","path":"/a~2","value":1}]`:            `FILE: [0].path: a ~ in a path is written ~0, a / in a key ~1: "/a~2"`,
		`[{"op":"add","path":"/a~","value":1}]`:             `FILE: [0].path: a ~ in a path is written ~0, a / in a key ~1: "/a~"`,
		`[{"op":"add","path":null,"value":1}]`:              "FILE: [0].path: wanted text, found nothing",
		`[{"op":"add","path":"/a","value":1,"values":2}]`:   `FILE: [0]: unknown key "values"; did you mean value?`,
		`[{"op":"add"},{"op":"remove","path":"b"}]`:         "FILE: 3 mistakes:\n  [0].path: is missing\n  [0].value: is missing\n  [1].path: wanted a path that begins with /: \"b\"",
		`[{"op":"remove","path":"/a/b","value":"ignored"}]`: "",
	} {
		_, err := steps(t, patch)
		if want == "" {
			assert.NoError(t, err, patch)
			continue
		}
		assert.EqualError(t, err, want, patch)
	}
}

// The examples of RFC 7396.
func TestMerge(t *testing.T) {
	for _, tt := range [][3]string{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`["a","b"]`, `["c","d"]`, `["c","d"]`},
		{`{"a":"b"}`, `["c"]`, `["c"]`},
		{`{"a":"foo"}`, `null`, `null`},
		{`{"a":"foo"}`, `"bar"`, `"bar"`},
		{`{"e":null}`, `{"a":1}`, `{"a":1,"e":null}`},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
	} {
		before := value(t, tt[0])
		assert.Equal(t, tt[2], encoded(t, Merge(before, value(t, tt[1]))), strings.Join(tt[:], " "))
		assert.Equal(t, value(t, tt[0]), before)
	}
}

func valuesPatch(t testing.TB, text string) ValuesPatch {
	t.Helper()
	p, err := ParseValuesPatch([]byte(text))
	require.NoError(t, err)
	return p
}

func values(t testing.TB, text string) map[string]any {
	t.Helper()
	v, ok := value(t, text).(map[string]any)
	require.True(t, ok)
	return v
}

func TestParseValuesPatch(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want string
	}{
		"nothing":            {"", "[]"},
		"an empty list":      {"[]\n", "[]"},
		"null":               {"null", "[]"},
		"a list":             {`[{"op":"add","path":"/a","value":1},{"op":"remove","path":"/b"}]`, `[{"op":"add","path":"/a","value":1},{"op":"remove","path":"/b"}]`},
		"single steps":       {"{\"op\":\"add\",\"path\":\"/a\",\"value\":null}\n{\"op\":\"remove\",\"path\":\"/b\"}\n", `[{"op":"add","path":"/a","value":null},{"op":"remove","path":"/b"}]`},
		"lists and steps":    {`[{"op":"remove","path":"/a"}]{"op":"replace","path":"/b","value":"x"}[]`, `[{"op":"remove","path":"/a"},{"op":"replace","path":"/b","value":"x"}]`},
		"numbers stay exact": {`{"op":"add","path":"/a","value":9007199254740993}`, `[{"op":"add","path":"/a","value":9007199254740993}]`},
	} {
		t.Run(name, func(t *testing.T) {
			p := valuesPatch(t, tt.text)
			assert.JSONEq(t, tt.want, encoded(t, append(JSONPatch{}, p.Steps...)))
			assert.Equal(t, tt.want == "[]", p.Empty())
		})
	}
	for text, want := range map[string]string{
		`[{"op":"add","path":"/a","value":1},{"op":"ad`: "VALUES_JSON_PATCH_PATH: line 1, column 46: not JSON: unexpected EOF",
		`{"op":"move","path":"/a","from":"/b"}`:         `VALUES_JSON_PATCH_PATH: patch 1.op: wanted one of add, remove, replace, found "move"`,
		`{"op":"add","path":"","value":{}}`:             "VALUES_JSON_PATCH_PATH: step 1: the path is empty: it would add all values",
		`"text"`:                                        "VALUES_JSON_PATCH_PATH: patch 1: wanted a list, found text",
		"op: add\npath: /a\nvalue: 1":                   "VALUES_JSON_PATCH_PATH: line 1, column 1: not JSON: invalid character 'o' looking for beginning of value",
		`{"op":"add","path":"/a","value":1,"value":2}`:  `VALUES_JSON_PATCH_PATH: line 1, column 35: key "value" is there twice`,
	} {
		_, err := ParseValuesPatch([]byte(text))
		assert.EqualError(t, err, want)
	}
}

// Row 34 of the complaints: strict when new, lenient on replay.
func TestValuesPatchStrictAndLenient(t *testing.T) {
	p := valuesPatch(t, `[{"op":"add","path":"/a","value":1},{"op":"remove","path":"/a"}]`)
	got, err := p.Apply(values(t, `{}`))
	require.NoError(t, err)
	assert.Empty(t, got)
	got, skipped, err := p.Replay(values(t, `{}`))
	require.NoError(t, err)
	assert.Zero(t, skipped)
	assert.Empty(t, got)

	fresh := valuesPatch(t, `{"op":"remove","path":"/zzz"}`)
	_, err = fresh.Apply(values(t, `{}`))
	assert.EqualError(t, err, "values patch: step 1 (remove /zzz): there is no /zzz")
	got, skipped, err = fresh.Replay(values(t, `{"a":1}`))
	require.NoError(t, err)
	assert.Equal(t, 1, skipped)
	assert.Equal(t, values(t, `{"a":1}`), got)

	old := valuesPatch(t, `[{"op":"add","path":"/internal/x","value":1},{"op":"replace","path":"/b","value":2},{"op":"add","path":"/l/5","value":1}]`)
	got, skipped, err = old.Replay(values(t, `{"l":[]}`))
	require.NoError(t, err, "parents that are gone, too")
	assert.Equal(t, 3, skipped)
	assert.Equal(t, values(t, `{"l":[]}`), got)
}

func TestSettingsPatch(t *testing.T) {
	for _, text := range []string{"", "\n", "[]", "[] []", "null"} {
		assert.NoError(t, CheckSettingsPatch([]byte(text)), text)
	}
	for _, text := range []string{`[{"op":"add","path":"/a","value":1}]`, `{"op":"add"}`, "{", "x", "{}"} {
		err := CheckSettingsPatch([]byte(text))
		assert.ErrorContains(t, err, "CONFIG_VALUES_JSON_PATCH_PATH: settings are read-only", text)
	}
}

func TestJoin(t *testing.T) {
	for name, tt := range map[string]struct{ steps, want string }{
		"the same path":           {`[{"op":"add","path":"/a","value":1},{"op":"add","path":"/a","value":2}]`, `[{"op":"add","path":"/a","value":2}]`},
		"below a later one":       {`[{"op":"add","path":"/a/b","value":1},{"op":"add","path":"/a","value":{}}]`, `[{"op":"add","path":"/a","value":{}}]`},
		"removed later":           {`[{"op":"add","path":"/a","value":1},{"op":"remove","path":"/a"}]`, `[{"op":"remove","path":"/a"}]`},
		"a prefix is no parent":   {`[{"op":"add","path":"/ab","value":1},{"op":"add","path":"/a","value":2}]`, `[{"op":"add","path":"/ab","value":1},{"op":"add","path":"/a","value":2}]`},
		"above a later one stays": {`[{"op":"add","path":"/a","value":{}},{"op":"add","path":"/a/b","value":1}]`, `[{"op":"add","path":"/a","value":{}},{"op":"add","path":"/a/b","value":1}]`},
		"a replace needs it":      {`[{"op":"add","path":"/a","value":1},{"op":"replace","path":"/a","value":2}]`, `[{"op":"add","path":"/a","value":1},{"op":"replace","path":"/a","value":2}]`},
		"places move":             {`[{"op":"add","path":"/l/-","value":1},{"op":"add","path":"/l/-","value":2}]`, `[{"op":"add","path":"/l/-","value":1},{"op":"add","path":"/l/-","value":2}]`},
		"a list that is reset":    {`[{"op":"add","path":"/l","value":[]},{"op":"add","path":"/l/-","value":1},{"op":"add","path":"/l","value":[2]}]`, `[{"op":"add","path":"/l","value":[]},{"op":"add","path":"/l/-","value":1},{"op":"add","path":"/l","value":[2]}]`},
	} {
		t.Run(name, func(t *testing.T) {
			assert.JSONEq(t, tt.want, encoded(t, Join(valuesPatch(t, tt.steps)).Steps))
		})
	}
	t.Run("what a hook repeats doesn't pile up", func(t *testing.T) {
		var all ValuesPatch
		for i := range 1000 {
			all = Join(all, ValuesPatch{Steps: JSONPatch{{Op: OpAdd, Path: "/n", Value: int64(i)}}})
		}
		assert.Len(t, all.Steps, 1)
		assert.Equal(t, int64(999), all.Steps[0].Value)
	})
}

// The steps that replaying Join skips may differ, the values never do.
func assertJoinKeepsMeaning(t *testing.T, steps JSONPatch, on map[string]any) {
	t.Helper()
	plain, _, plainErr := ValuesPatch{Steps: steps}.Replay(on)
	joined, _, joinedErr := Join(ValuesPatch{Steps: steps}).Replay(on)
	require.Equal(t, plainErr, joinedErr)
	require.Equal(t, plain, joined, encoded(t, steps))
}

func TestJoinKeepsMeaning(t *testing.T) {
	paths := []string{"/a", "/a/b", "/a/b/c", "/l", "/l/0", "/l/-", "/a/l/0", "/b", "/0", "/a/0/x"}
	items := []any{int64(1), nil, map[string]any{}, []any{}, map[string]any{"b": map[string]any{}}, []any{map[string]any{}}}
	bases := []map[string]any{{}, values(t, `{"a":{"b":{"c":1}},"l":[1,2]}`), values(t, `{"a":[{"x":1}],"l":{"0":1},"b":2}`)}
	seed := uint32(1)
	next := func(n int) int {
		seed = seed*1664525 + 1013904223
		return int(seed>>16) % n
	}
	for range 3000 {
		var steps JSONPatch
		for range 1 + next(6) {
			s := PatchStep{Op: []PatchOp{OpAdd, OpRemove, OpReplace}[next(3)], Path: paths[next(len(paths))]}
			if s.Op != OpRemove {
				s.Value = items[next(len(items))]
			}
			steps = append(steps, s)
		}
		for _, base := range bases {
			assertJoinKeepsMeaning(t, steps, base)
		}
	}
}

func TestSecretOf(t *testing.T) {
	body := SecretOf(map[string]any{"a": []any{"x", json.Number("1"), map[string]any{"b": "y"}}})
	assert.True(t, object.DefaultMasker().Masked(body))
	assert.Len(t, body["stringData"], 2)
	assert.True(t, IsSecret("secrets"))
	assert.False(t, IsSecret("SecretStore"))
}
