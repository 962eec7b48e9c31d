package object

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLiteralHeader(t *testing.T) {
	tests := map[string]struct {
		text, want string // want "" means no block
	}{
		"two lines":              {"a\nb\n", "|"},
		"no end":                 {"a\nb", "|-"},
		"one line and its end":   {"a\n", "|"},
		"more ends":              {"a\n\n\n", "|+"},
		"indented":               {"  a\nb\n", "|2"},
		"indented, no end":       {" a\nb", "|2-"},
		"empty first line":       {"\na\n", "|2"},
		"tab first":              {"\ta\nb\n", "|2"},
		"tab inside":             {"a\n\tb\n", "|"},
		"trailing blanks":        {"a  \nb\n", "|"},
		"blank line inside":      {"a\n   \nb\n", "|"},
		"unicode":                {"é\n😀\n", "|"},
		"looks like a document":  {"---\na: 1\n", "|"},
		"looks like a comment":   {"# a\nb\n", "|"},
		"one line":               {"a", ""},
		"nothing":                {"", ""},
		"only an end":            {"\n", ""},
		"only blanks":            {" \n ", ""},
		"blank last line":        {"a\n  ", ""},
		"carriage return":        {"a\r\nb\r\n", ""},
		"control character":      {"a\n\x07\n", ""},
		"line separator":         {"a\n\u2028\n", ""},
		"next line":              {"a\n\u0085\n", ""},
		"byte order mark inside": {"a\n\ufeffb\n", ""},
		"not UTF-8":              {"a\n\xff\n", "|"}, // shown with U+FFFD in its place
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, ok := literalHeader(test.text)
			assert.Equal(t, test.want != "", ok)
			assert.Equal(t, test.want, got)
		})
	}
}

func TestQuoteText(t *testing.T) {
	for text, want := range map[string]string{
		"":           `""`,
		"a":          `a`,
		"a b":        `a b`,
		" a":         `' a'`,
		"a ":         `'a '`,
		"it's":       `it's`,
		"'a":         `'''a'`,
		"it's: x":    `'it''s: x'`,
		"true":       `"true"`,
		"8080":       `"8080"`,
		"a\nb":       `"a\nb"`,
		"a\tb":       `"a\tb"`,
		"a\rb":       `"a\rb"`,
		"a\x00b":     `"a\x00b"`,
		"\x7f":       `"\x7f"`,
		"\u0085":     `"\x85"`,
		"\u2028":     `"\u2028"`,
		"\ufeff":     `"\ufeff"`,
		"a\"\x01":    `"a\"\x01"`,
		"a\\\x01":    `"a\\\x01"`,
		"a\\b":       `a\b`,
		"😀":          `😀`,
		"\xff":       "\uFFFD",
		"=":          `'='`,
		"<<":         `"<<"`,
		"- a":        `'- a'`,
		"-a":         `-a`,
		"a:":         `'a:'`,
		"a: b":       `'a: b'`,
		"a:b":        `a:b`,
		"a #b":       `'a #b'`,
		"a#b":        `a#b`,
		"{}":         `'{}'`,
		"2026-01-02": `"2026-01-02"`,
	} {
		assert.Equal(t, want, quoteText(text), "%q", text)
	}
}

// TestLiteralBlocksAtEveryDepth: a block below mappings, lists and lists in
// lists is indented so that every parser finds its end.
func TestLiteralBlocksAtEveryDepth(t *testing.T) {
	for _, text := range []string{"a\nb\n", "a\nb", "  a\n b\n\n", "\n\na\n", "\ta\n"} {
		var value any = text
		for depth := range 6 {
			body := map[string]any{"k": value, "z": "after"}
			written, err := EncodeYAML(body)
			require.NoError(t, err)
			assertReadsBack(t, body, written)
			if depth%2 == 0 {
				value = []any{value, text}
			} else {
				value = map[string]any{"m": value, "n": text}
			}
		}
	}
}

// TestEncodeYAMLDoesNotFold: a long line stays one line, whatever it holds.
func TestEncodeYAMLDoesNotFold(t *testing.T) {
	for name, text := range map[string]string{
		"words":         strings.Repeat("word ", 500) + "end",
		"colons":        strings.Repeat("a: b ", 500) + "end",
		"escapes":       strings.Repeat("\x01 ", 500) + "end",
		"without space": strings.Repeat("x", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			body := map[string]any{"k": text}
			written, err := EncodeYAML(body)
			require.NoError(t, err)
			assert.Equal(t, 1, strings.Count(string(written), "\n"))
			assertReadsBack(t, body, written)
		})
	}
}
