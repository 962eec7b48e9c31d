package printers

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes a text from outside harmless and visible on one line: control and
// format characters (terminal escapes, carriage returns, bidirectional overrides,
// zero-width spaces) and bytes that are no UTF-8 become Go-like escapes. Tabs
// stay, since values use them to indent.
func clean(s string) string {
	if isPlain(s) {
		return s
	}
	return escape(s, true)
}

// cleanCell is clean for table cells and messages, where a tab would break the
// columns.
func cleanCell(s string) string {
	if isPlain(s) && !strings.Contains(s, "\t") {
		return s
	}
	return escape(s, false)
}

// isPlain is the fast path: nearly every line is printable ASCII.
func isPlain(s string) bool {
	for i := range len(s) {
		if (s[i] < ' ' && s[i] != '\t') || s[i] > '~' {
			return false
		}
	}
	return true
}

func escape(s string, keepTabs bool) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case visible(r) || r == '\t' && keepTabs:
			b.WriteString(s[i : i+size])
		default:
			b.WriteString(escapeRune(r))
		}
		i += size
	}
	return b.String()
}

// visible reports whether a character shows itself and moves nothing else. The
// ideographic space is ordinary in Japanese text, though unicode.IsPrint only
// knows the ASCII one.
func visible(r rune) bool {
	return unicode.IsPrint(r) || r == '\u3000'
}

func escapeRune(r rune) string {
	switch r {
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	switch {
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// Message cleans a text for standard error, an error or a warning, that quotes
// files and servers: nothing in it can steer a terminal. Its lines stay lines.
func Message(text string) string {
	if isPlain(text) {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = clean(strings.TrimSuffix(line, "\r"))
	}
	return strings.Join(lines, "\n")
}

// cleanParagraph cleans a text of several lines, such as a server's error, and
// indents what follows the first line, so that no line of it starts at the left
// edge.
func cleanParagraph(s, indent string) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i, line := range lines {
		lines[i] = clean(strings.TrimSuffix(line, "\r"))
	}
	return strings.Join(lines, "\n"+indent)
}
