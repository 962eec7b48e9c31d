package object

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseDecimal(t *testing.T) {
	tests := map[string]struct {
		want decimal
		ok   bool
	}{
		"0":                      {decimal{}, true},
		"-0":                     {decimal{}, true},
		"0.000":                  {decimal{}, true},
		"0e99":                   {decimal{}, true},
		"1":                      {decimal{digits: "1", exponent: 1}, true},
		"10":                     {decimal{digits: "1", exponent: 2}, true},
		"1e1":                    {decimal{digits: "1", exponent: 2}, true},
		"0.1e2":                  {decimal{digits: "1", exponent: 2}, true},
		"-12.50":                 {decimal{negative: true, digits: "125", exponent: 2}, true},
		"0.00123":                {decimal{digits: "123", exponent: -2}, true},
		"123E-5":                 {decimal{digits: "123", exponent: -2}, true},
		"1e+05":                  {decimal{digits: "1", exponent: 6}, true},
		"0010":                   {decimal{digits: "1", exponent: 2}, true},
		"1e99999999999999999999": {decimal{}, false},
		"":                       {decimal{}, false},
		"-":                      {decimal{}, false},
		".":                      {decimal{}, false},
		"e5":                     {decimal{}, false},
		"1e":                     {decimal{digits: "1", exponent: 1}, true}, // JSON forbids it before we see it
		"1x":                     {decimal{}, false},
		"NaN":                    {decimal{}, false},
		"+Inf":                   {decimal{}, false},
		"--1":                    {decimal{}, false},
		"1.2.3":                  {decimal{}, false},
	}
	for text, test := range tests {
		t.Run(text, func(t *testing.T) {
			got, ok := parseDecimal(text)
			assert.Equal(t, test.ok, ok)
			if test.ok {
				assert.Equal(t, test.want, got)
			}
		})
	}
}

func TestDecimalWhole(t *testing.T) {
	for text, want := range map[string]bool{
		"0": true, "7": true, "70": true, "7e5": true, "1.5e1": true, "12345678901234567890": true,
		"0.5": false, "1.5": false, "1e-1": false, "12.5e0": false,
	} {
		d, ok := parseDecimal(text)
		require.True(t, ok, text)
		assert.Equal(t, want, d.whole(), text)
	}
}

// TestCanonicalNumber: what is shown is how an API server would write it, as
// long as that is the same number.
func TestCanonicalNumber(t *testing.T) {
	tests := map[string]struct {
		value any
		want  string
	}{
		"integer":                  {int64(-7), "-7"},
		"2^53+1":                   {int64(9007199254740993), "9007199254740993"},
		"trailing zero":            {json.Number("1.10"), "1.1"},
		"exponent":                 {json.Number("1.5E-7"), "1.5e-7"},
		"exponent with zero":       {json.Number("1e-07"), "1e-7"},
		"large exponent":           {json.Number("1E300"), "1e+300"},
		"small enough to write":    {json.Number("2.5e20"), "250000000000000000000"},
		"beyond int64, exact":      {json.Number("18446744073709551615"), "18446744073709551615"},
		"beyond int64, round":      {json.Number("10000000000000000000"), "10000000000000000000"},
		"more digits than a float": {json.Number("0.12345678901234567890"), "0.12345678901234567890"},
		"beyond a float":           {json.Number("1e999"), "1e999"},
		"Go float":                 {0.5, "0.5"},
		"Go float, whole":          {float64(3), "3"},
		"Go integer":               {7, "7"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := canonicalNumber(test.value)
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
	for name, value := range map[string]any{"no number": "1", "infinite": math.Inf(1), "not a number": math.NaN(), "bad text": json.Number("x")} {
		_, err := canonicalNumber(value)
		assert.Error(t, err, name)
	}
}

// TestCanonicalNumberIsLikeEncodingJSON: floats come out as every Go program
// writes them.
func TestCanonicalNumberIsLikeEncodingJSON(t *testing.T) {
	for _, f := range []float64{0, 1, -1, 0.1, 1.5, 1e-6, 1e-7, 1e20, 1e21, 123456.789, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Pi} {
		want, err := json.Marshal(f)
		require.NoError(t, err)
		got, err := canonicalNumber(f)
		require.NoError(t, err)
		assert.Equal(t, string(want), got)
	}
}

func TestExactNumberKeepsTheValue(t *testing.T) {
	for _, text := range []string{
		"0", "-1", "1.0", "1e3", "1.5", "9007199254740992.0", "9007199254740993.0", "9223372036854775807", "9223372036854775808",
		"-9223372036854775808", "-9223372036854775809", "1e18", "1e19", "0.1e1", "100e-2", "1e-400", "1e400",
	} {
		value := exactNumber(json.Number(text))
		want, ok := parseDecimal(text)
		require.True(t, ok)
		written, ok := numberText(value)
		require.True(t, ok)
		got, ok := parseDecimal(written)
		require.True(t, ok)
		assert.Equal(t, want, got, text)
	}
}
