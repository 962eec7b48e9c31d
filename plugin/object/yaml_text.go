package object

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// literalHeader returns the header of the literal block for a text of several
// lines; ok is false where a block can't hold the text.
func literalHeader(text string) (header string, ok bool) {
	core := strings.TrimRight(text, "\n")
	if !strings.Contains(text, "\n") || strings.TrimSpace(core) == "" {
		return "", false
	}
	for _, r := range text {
		if r != '\n' && r != '\t' && !printable(r) {
			return "", false
		}
	}
	if last := core[strings.LastIndexByte(core, '\n')+1:]; strings.TrimSpace(last) == "" {
		return "", false // blanks at the end are chomped by some parsers
	}
	header = "|"
	if strings.IndexByte(" \t\n", text[0]) >= 0 {
		header += "2" // the indentation can't be told from the first line
	}
	switch len(text) - len(core) {
	case 0:
		header += "-"
	case 1:
	default:
		header += "+"
	}
	return header, true
}

// quoteText writes a text on one line in the style that kubectl uses: plain
// where it can't be mistaken, double quotes where the type could be, single
// quotes where the syntax could be.
func quoteText(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	switch {
	case !printableText(text), text == "", ambiguous(text):
		return doubleQuoted(text)
	case plainSyntax(text):
		return text
	default:
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
}

// ambiguous tells whether a plain text would be read as a number, a boolean, a
// date or a null by any parser of YAML 1.1 or 1.2.
func ambiguous(text string) bool {
	switch classify(text) {
	case textScalar:
		return false
	case unusual:
		return text == "<<" || numeric(text) || dateLike.MatchString(text) || sexagesimal.MatchString(text)
	default:
		return true
	}
}

var (
	yamlFloat   = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	yamlSpecial = regexp.MustCompile(`^[-+]?\.(?i:inf|nan)$`)
	dateLike    = regexp.MustCompile(`^[0-9]{1,4}-[0-9]{1,2}-[0-9]{1,2}([Tt \t].*)?$`)
	sexagesimal = regexp.MustCompile(`^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$`)
)

func numeric(text string) bool {
	bare := strings.ReplaceAll(text, "_", "")
	if yamlFloat.MatchString(bare) || yamlSpecial.MatchString(text) {
		return true
	}
	digits := strings.TrimLeft(bare, "+-")
	if _, err := strconv.ParseUint(digits, 0, 64); err == nil {
		return true
	}
	_, err := strconv.ParseFloat(bare, 64) // hexadecimal floats
	return err == nil
}

// plainSyntax tells whether a printable text needs no quotes in block context.
func plainSyntax(text string) bool {
	if strings.HasPrefix(text, "---") || strings.HasPrefix(text, "...") || text == "=" {
		return false
	}
	if strings.IndexByte("?:,[]{}#&*!|>'\"%@`", text[0]) >= 0 {
		return false
	}
	if text == "-" || strings.HasPrefix(text, "- ") {
		return false
	}
	return strings.TrimSpace(text) == text &&
		!strings.HasSuffix(text, ":") && !strings.Contains(text, ": ") && !strings.Contains(text, " #")
}

func printableText(text string) bool {
	for _, r := range text {
		if !printable(r) {
			return false
		}
	}
	return true
}

// printable is YAML's set without what some parser takes for a line end, and
// without the characters that change how a terminal shows others (the direction of
// text, say). The two joiners are part of words and emoji.
func printable(r rune) bool {
	switch {
	case r == '\u200C', r == '\u200D':
		return true
	case r == '\u2028', r == '\u2029', unicode.Is(unicode.Cf, r):
		return false
	case 0x20 <= r && r <= 0x7e, 0xa0 <= r && r <= 0xd7ff, 0xe000 <= r && r <= 0xfffd:
		return true
	default:
		return r >= 0x10000
	}
}

func doubleQuoted(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\t':
			out.WriteString(`\t`)
		case r == '\r':
			out.WriteString(`\r`)
		case printable(r):
			out.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&out, `\x%02x`, r)
		case r > 0xffff:
			fmt.Fprintf(&out, `\U%08x`, r)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	out.WriteByte('"')
	return out.String()
}
