package object

import (
	"math"
	"reflect"
	"strconv"
)

// Equal compares two JSON values deeply. Numbers are compared by value whatever
// their Go type: integers exactly, fractions as the float64 that every API
// server makes of them. A number and a text are never equal, so int-or-string
// fields compare by type and value ("8080" differs from 8080, as it does for
// the server). An absent key differs from a null.
func Equal(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && equalMaps(x, y)
	case []any:
		y, ok := b.([]any)
		return ok && equalLists(x, y)
	case string:
		y, ok := b.(string)
		return ok && x == y
	case bool:
		y, ok := b.(bool)
		return ok && x == y
	case nil:
		return b == nil
	case int64:
		if y, ok := b.(int64); ok {
			return x == y
		}
	}
	return equalNumbers(a, b)
}

func equalMaps(a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	for key, x := range a {
		y, ok := b[key]
		if !ok || !Equal(x, y) {
			return false
		}
	}
	return true
}

func equalLists(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

func equalNumbers(a, b any) bool {
	x, okA := numberText(a)
	y, okB := numberText(b)
	if !okA || !okB {
		// Go types that JSON doesn't have ([]string of a caller's own making).
		return okA == okB && reflect.DeepEqual(a, b)
	}
	if x == y {
		return true
	}
	dx, okX := parseDecimal(x)
	dy, okY := parseDecimal(y)
	if !okX || !okY {
		return false
	}
	return dx == dy || !dx.whole() && !dy.whole() && equalFloats(x, y)
}

// whole tells integers from fractions.
func (d decimal) whole() bool { return int64(len(d.digits)) <= d.exponent || d.digits == "" }

func equalFloats(x, y string) bool {
	fx, errX := strconv.ParseFloat(x, 64)
	fy, errY := strconv.ParseFloat(y, 64)
	return errX == nil && errY == nil && fx == fy && !math.IsInf(fx, 0)
}
