package object

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEqual(t *testing.T) {
	n := func(text string) json.Number { return json.Number(text) }
	tests := map[string]struct {
		a, b any
		want bool
	}{
		"integers":                   {int64(1), int64(1), true},
		"different integers":         {int64(1), int64(2), false},
		"integer and float":          {int64(1), float64(1), true},
		"2^53+1 and its float":       {int64(9007199254740993), float64(9007199254740992), false},
		"2^53 and its float":         {int64(9007199254740992), float64(9007199254740992), true},
		"integer and number":         {int64(1000), n("1e3"), true},
		"two spellings":              {n("1.10"), n("1.1"), true},
		"beyond int64":               {n("18446744073709551615"), n("18446744073709551615"), true},
		"beyond int64, last digit":   {n("18446744073709551615"), n("18446744073709551614"), false},
		"fractions of one float":     {n("0.12345678901234567890"), n("0.12345678901234568"), true},
		"Python's 17 digits":         {n("0.10000000000000001"), float64(0.1), true},
		"fractions that differ":      {n("0.1"), n("0.2"), false},
		"integer and fraction":       {int64(1), n("1.5"), false},
		"zeros":                      {int64(0), n("-0.0"), true},
		"signs":                      {n("-1.5"), n("1.5"), false},
		"huge exponents":             {n("1e999999999"), n("10e999999998"), true},
		"huge exponents that differ": {n("1e999999999"), n("1e999999998"), false},
		"exponent out of any range":  {n("1e99999999999999999999"), n("1e99999999999999999999"), true},
		"out of range and not":       {n("1e99999999999999999999"), n("1"), false},
		"other Go integers":          {uint64(7), int32(7), true},
		"other Go numbers":           {float32(0.5), n("0.5"), true},
		"int and uint32":             {7, uint32(7), true},
		"number and text":            {int64(8080), "8080", false},
		"text and number":            {"8080", int64(8080), false},
		"texts":                      {"a", "a", true},
		"booleans":                   {true, true, true},
		"boolean and text":           {true, "true", false},
		"nulls":                      {nil, nil, true},
		"null and empty":             {nil, map[string]any{}, false},
		"null and zero":              {nil, int64(0), false},
		"no numbers at all":          {math.NaN(), math.NaN(), true},
		"foreign types":              {[]string{"a"}, []string{"a"}, true},
		"foreign types that differ":  {[]string{"a"}, []string{"b"}, false},
		"foreign type and list":      {[]string{"a"}, []any{"a"}, false},
		"maps": {
			a:    map[string]any{"a": int64(1), "b": nil},
			b:    map[string]any{"b": nil, "a": float64(1)},
			want: true,
		},
		"a null and an absent key": {map[string]any{"a": nil}, map[string]any{"b": nil}, false},
		"more keys":                {map[string]any{"a": nil}, map[string]any{"a": nil, "b": nil}, false},
		"lists":                    {[]any{int64(1), []any{}}, []any{float64(1), []any{}}, true},
		"order":                    {[]any{"a", "b"}, []any{"b", "a"}, false},
		"longer list":              {[]any{"a"}, []any{"a", "a"}, false},
		"list and map":             {[]any{}, map[string]any{}, false},
		"nil map and empty map":    {map[string]any(nil), map[string]any{}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, Equal(test.a, test.b))
			assert.Equal(t, test.want, Equal(test.b, test.a), "the other way round")
		})
	}
}

func TestEqualQuantity(t *testing.T) {
	tests := map[string]struct {
		a, b any
		want bool
	}{
		"units":                  {"1000m", "1", true},
		"number and text":        {int64(1), "1000m", true},
		"fraction":               {json.Number("0.5"), "500m", true},
		"binary":                 {"1Gi", "1024Mi", true},
		"decimal and binary":     {"1G", "1Gi", false},
		"exponent":               {"1e3", "1k", true},
		"different":              {"100m", "200m", false},
		"same text, no quantity": {"lots", "lots", true},
		"no quantities":          {"lots", "many", false},
		"one quantity":           {"1", "one", false},
		"null":                   {nil, "0", false},
		"list":                   {[]any{"1"}, []any{"1000m"}, false},
		"huge exponent":          {"1e999999999", "10e999999998", false},
		"huge exponent, same":    {"1e999999999", "1e999999999", true},
		"very long":              {"1" + string(make([]byte, 100)), "1", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, EqualQuantity(test.a, test.b))
			assert.Equal(t, test.want, EqualQuantity(test.b, test.a), "the other way round")
		})
	}
}

func TestDecodeJSONNumbers(t *testing.T) {
	for text, want := range map[string]any{
		"0": int64(0), "-0": int64(0), "-0.0": int64(0), "9007199254740993": int64(9007199254740993),
		"9223372036854775807": int64(math.MaxInt64), "-9223372036854775808": int64(math.MinInt64),
		"9223372036854775808": json.Number("9223372036854775808"),
		"1.0":                 int64(1), "1e3": int64(1000), "1.5e1": int64(15), "1.50": json.Number("1.50"),
		"1.00000000000000000001": json.Number("1.00000000000000000001"), "9007199254740993.0": json.Number("9007199254740993.0"),
		"1e400": json.Number("1e400"), "1e-7": json.Number("1e-7"),
	} {
		t.Run(text, func(t *testing.T) {
			body, err := DecodeJSON([]byte(`{"x":` + text + `,"l":[` + text + `]}`))
			require.NoError(t, err)
			assert.Equal(t, map[string]any{"x": want, "l": []any{want}}, body)
		})
	}
}

func TestDecodeJSONRefusals(t *testing.T) {
	for text, want := range map[string]string{
		``: "EOF", `[]`: "wanted an object, found a list", `null`: "found null", `"a"`: "found text", `1`: "found a number",
		`true`: "found a boolean", `{} {}`: "more than one value", `{"a":}`: "invalid character", `{} x`: "more than one value",
	} {
		_, err := DecodeJSON([]byte(text))
		assert.ErrorContains(t, err, want, text)
	}
	_, err := DecodeJSON([]byte(" {}\n"))
	assert.NoError(t, err)
}

func TestEncodeJSON(t *testing.T) {
	data, err := EncodeJSON(decode(t, `{"b":18446744073709551615,"a":"<&>","c":9007199254740993,"d":1.10}`))
	require.NoError(t, err)
	assert.Equal(t, `{"a":"<&>","b":18446744073709551615,"c":9007199254740993,"d":1.10}`, string(data))
	_, err = EncodeJSON(map[string]any{"a": make(chan int)})
	assert.ErrorContains(t, err, "encode JSON")
}

// FuzzNumber compares the decimal reading with the standard library's.
func FuzzNumber(f *testing.F) {
	for _, text := range []string{"0", "-1.5e3", "1e-7", "100", "0.001", "12345678901234567890", "1E+2"} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		var x, y float64
		if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
			t.Skip()
		}
		dx, okX := parseDecimal(a)
		dy, okY := parseDecimal(b)
		if okX && okY && dx == dy {
			require.Equal(t, x, y, "equal decimals are equal floats")
		}
		if i, isInt := exactNumber(json.Number(a)).(int64); isInt && math.Abs(x) < 1<<53 {
			require.Equal(t, x, float64(i))
		}
		require.True(t, Equal(json.Number(a), json.Number(a)))
	})
}
