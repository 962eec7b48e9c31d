package schema

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// boundInteger bounds what can only be an integer to the 64 bits that one has on the
// platform. A bound of the author's stays, and so does one that says "exclusive"
// without a number, which the library refuses.
func boundInteger(schema map[string]any) {
	var types []any
	switch t := schema["type"].(type) {
	case string:
		types = []any{t}
	case []any:
		types = t
	}
	if !slices.Contains(types, any("integer")) || slices.Contains(types, any("number")) {
		return
	}
	if least := schema["minimum"]; least == nil && schema["exclusiveMinimum"] == nil || beyondInteger(least) < 0 {
		schema["minimum"] = int64(math.MinInt64)
	}
	if most := schema["maximum"]; most == nil && schema["exclusiveMaximum"] == nil || beyondInteger(most) > 0 {
		schema["maximum"] = int64(math.MaxInt64)
	}
}

// beyondInteger is -1 below all integers of 64 bits, 1 above them, else 0.
func beyondInteger(value any) int {
	text, isNumber := value.(json.Number)
	if !isNumber {
		return 0
	}
	f, _ := text.Float64() // ±Inf with an error, which is beyond as well
	switch {
	case f < math.MinInt64:
		return -1
	case f >= math.MaxInt64:
		return 1
	}
	return 0
}

// integerText says that a bound is that of boundInteger; "" for another one.
func integerText(bound *big.Rat) string {
	switch {
	case bound.Cmp(new(big.Rat).SetInt64(math.MaxInt64)) == 0:
		return "wanted an integer of 64 bits, found a larger one"
	case bound.Cmp(new(big.Rat).SetInt64(math.MinInt64)) == 0:
		return "wanted an integer of 64 bits, found a smaller one"
	}
	return ""
}

// immense finds the numbers that no float64 holds. The library must not see them: it
// would write them out. n is the nearest schema that is known of the value.
func (s *Schema) immense(n *node, path []string, value any) []Fault {
	var all []Fault
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			below := n
			if len(n.of(key)) > 0 {
				below = n.of(key)[0]
			}
			all = append(all, s.immense(below, append(path[:len(path):len(path)], key), v[key])...)
		}
	case []any:
		for i, item := range v {
			below := n
			if n.ofItem(i) != nil {
				below = n.ofItem(i)
			}
			all = append(all, s.immense(below, append(path[:len(path):len(path)], strconv.Itoa(i)), item)...)
		}
	case json.Number:
		if isImmense(v.String()) {
			at := s.source.placeOf(n.at)
			all = append(all, Fault{Path: keyOf(path), Text: "wanted a finite number, found " + immenseText, File: at.file, Line: at.line})
		}
	}
	return all
}

const immenseText = "one that 64 bits can't hold"

// isImmense tells whether a text is a number that is too large for a float64, or so
// small that nothing of it is left.
func isImmense(text string) bool {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return errors.Is(err, strconv.ErrRange)
	}
	digits, _, _ := strings.Cut(strings.ToLower(text), "e")
	return f == 0 && strings.ContainsAny(digits, "123456789")
}

// tellImmense says of text in the place of a number that it is a number that is too
// large: YAML's parsers make text of 1e400.
func tellImmense(e *jsonschema.ValidationError, values any) {
	for _, cause := range e.Causes {
		tellImmense(cause, values)
	}
	k, isType := e.ErrorKind.(*kind.Type)
	if !isType || !slices.Contains(k.Want, "integer") && !slices.Contains(k.Want, "number") {
		return
	}
	if text, isText := instanceAt(values, e.InstanceLocation).(string); isText && isImmense(text) {
		k.Got = immenseText
	}
}

// instanceAt follows a path of the library's; nil where nothing is.
func instanceAt(value any, path []string) any {
	for _, key := range path {
		switch v := value.(type) {
		case map[string]any:
			value = v[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}
