package object

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// maxQuantityText bounds what is parsed as a quantity. Longer texts exist only
// in hostile inputs, and huge exponents make the parser build huge numbers.
const maxQuantityText = 64

// EqualQuantity compares two values of a field that the server's schema calls a
// Quantity: "1000m", "1" and 1 are equal. Values that are no quantities are
// compared by [Equal]. Only for such fields: elsewhere "1000m" is just text.
func EqualQuantity(a, b any) bool {
	if Equal(a, b) {
		return true
	}
	x, okA := parseQuantity(a)
	y, okB := parseQuantity(b)
	return okA && okB && x.Cmp(y) == 0
}

func parseQuantity(value any) (resource.Quantity, bool) {
	text, ok := value.(string)
	if !ok {
		text, ok = numberText(value)
	}
	if !ok || len(text) > maxQuantityText || longExponent(text) {
		return resource.Quantity{}, false
	}
	q, err := resource.ParseQuantity(text)
	return q, err == nil
}

// longExponent finds exponents of more than two digits; a quantity ends at 2^63.
func longExponent(text string) bool {
	i := strings.LastIndexAny(text, "eE")
	return i >= 0 && len(strings.TrimLeft(text[i+1:], "+-0")) > 2
}
