package object

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// exactNumber keeps the number that text writes: int64 where it is one (also
// "1.0" and "1e3", which kubectl and every API server turn into 1 and 1000),
// else the text itself.
func exactNumber(text json.Number) any {
	s := text.String()
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return i
	}
	if i, ok := integral(s); ok {
		return i
	}
	return text
}

// integral reads a number written with a point or an exponent as an int64, if
// that is its exact value.
func integral(s string) (int64, bool) {
	if !strings.ContainsAny(s, ".eE") {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return 0, false
	}
	i := int64(f)
	if d, ok := parseDecimal(s); !ok || d != mustDecimal(i) {
		return 0, false // rounded by ParseFloat, as 1.00000000000000000001 is
	}
	return i, true
}

// decimal is a number in canonical form, ±0.digits × 10^exponent, so that two
// spellings of one value are equal as Go values. No big number is ever built:
// 1e999999999 is as cheap as 1.
type decimal struct {
	negative bool
	digits   string // no leading and no trailing zero; "" is zero
	exponent int64
}

func parseDecimal(s string) (decimal, bool) {
	var d decimal
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		d.negative, s = true, rest
	}
	mantissa, exponent := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent = s[:i], s[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return decimal{}, false
	}
	if exponent != "" {
		e, err := strconv.ParseInt(exponent, 10, 32)
		if err != nil {
			return decimal{}, false
		}
		d.exponent = e
	}
	trimmed := strings.TrimLeft(digits, "0")
	d.exponent += int64(len(whole) - (len(digits) - len(trimmed)))
	d.digits = strings.TrimRight(trimmed, "0")
	if d.digits == "" {
		return decimal{}, true // all zeros are one zero, whatever sign and exponent
	}
	return d, true
}

func mustDecimal(i int64) decimal {
	d, _ := parseDecimal(strconv.FormatInt(i, 10))
	return d
}

// numberText gives the decimal text of any Go number, "" for other values.
func numberText(value any) (string, bool) {
	switch n := value.(type) {
	case int64:
		return strconv.FormatInt(n, 10), true
	case json.Number:
		return n.String(), true
	case float64:
		return strconv.FormatFloat(n, 'g', -1, 64), true
	case float32:
		return strconv.FormatFloat(float64(n), 'g', -1, 32), true
	case int:
		return strconv.Itoa(n), true
	case int32:
		return strconv.FormatInt(int64(n), 10), true
	case uint32:
		return strconv.FormatUint(uint64(n), 10), true
	case uint64:
		return strconv.FormatUint(n, 10), true
	default:
		return "", false
	}
}

// canonicalNumber writes a number as API servers do, so that 1.10 in a file and
// 1.1 from a server are one text; digits beyond a float64 are kept.
func canonicalNumber(value any) (string, error) {
	text, ok := numberText(value)
	if !ok {
		return "", fmt.Errorf("a value of type %T", value)
	}
	exact, ok := parseDecimal(text)
	if !ok {
		return "", errors.New("a number that JSON doesn't have")
	}
	if _, isInteger := value.(int64); isInteger {
		return text, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text, nil
	}
	short, err := json.Marshal(f)
	if err != nil {
		return "", err
	}
	if rounded, ok := parseDecimal(string(short)); ok && rounded == exact {
		return string(short), nil
	}
	return text, nil
}
