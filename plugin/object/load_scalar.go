package object

import (
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// scalarKind is what a plain YAML 1.1 scalar is at a glance.
type scalarKind int

const (
	unusual scalarKind = iota // only the real resolver can tell
	textScalar
	integerScalar
	boolScalar
	nullScalar
)

// isPlain tells whether a scalar is written without quotes, block or tag, so
// that its text decides its type.
func isPlain(n *yaml.Node) bool {
	explicit := yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle |
		yaml.LiteralStyle | yaml.FoldedStyle | yaml.TaggedStyle
	return n.Kind == yaml.ScalarNode && n.Style&explicit == 0
}

// classify tells the type that kubectl's parser gives to a plain scalar. The
// ordinary ones are decided here; anything that might be a number, a date or
// special is left to the parser itself.
func classify(text string) scalarKind {
	if text == "" {
		return nullScalar
	}
	switch c := text[0]; {
	case c == '<' || c == '.':
		return unusual
	case c == '+' || c == '-' || '0' <= c && c <= '9':
		return classifyNumeric(text)
	case strings.IndexByte("yYnNtTfFoO~", c) >= 0:
		return classifyWord(text)
	default:
		return textScalar
	}
}

func classifyNumeric(text string) scalarKind {
	if plainInteger(text) {
		return integerScalar
	}
	// Every number and date consists of these: hexadecimal, exponents, colons,
	// time zones, underscores.
	if strings.Trim(text, "0123456789abcdefABCDEFxXoO_+-.:tTzZ \t") == "" {
		if strings.Count(text, ".") > 1 && strings.Trim(text, "0123456789.") == "" {
			return textScalar // 10.0.0.1
		}
		return unusual
	}
	if len(text) > 1 && text[1] == '.' {
		return unusual // -.inf
	}
	return textScalar
}

// plainInteger accepts decimal integers without leading zeros that surely fit.
func plainInteger(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || len(digits) > 18 || digits[0] == '0' && len(digits) > 1 {
		return false
	}
	return strings.Trim(digits, "0123456789") == ""
}

func classifyWord(text string) scalarKind {
	switch text {
	case "~", "null", "Null", "NULL":
		return nullScalar
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return boolScalar
	}
	if _, ok := boolWord(text); ok {
		return boolScalar
	}
	return textScalar
}

// boolWord tells the words that YAML 1.1 reads as booleans and that people
// write as text: country codes, switches, axis names.
func boolWord(text string) (value, ok bool) {
	switch text {
	case "y", "Y", "yes", "Yes", "YES", "on", "On", "ON":
		return true, true
	case "n", "N", "no", "No", "NO", "off", "Off", "OFF":
		return false, true
	default:
		return false, false
	}
}

// scalar returns the value of an ordinary scalar; ok is false for others.
func scalar(n *yaml.Node) (value any, ok bool) {
	if n.Style&yaml.TaggedStyle != 0 {
		return nil, false
	}
	if !isPlain(n) {
		return n.Value, true
	}
	switch classify(n.Value) {
	case textScalar:
		return n.Value, true
	case nullScalar:
		return nil, true
	case boolScalar:
		word, isWord := boolWord(n.Value)
		return word || !isWord && strings.EqualFold(n.Value, "true"), true
	case integerScalar:
		i, err := strconv.ParseInt(n.Value, 10, 64)
		return i, err == nil
	default:
		return nil, false
	}
}
