package printers

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestClean(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"plain":             {"name: web # 100%", "name: web # 100%"},
		"tab stays":         {"a\tb", "a\tb"},
		"Japanese stays":    {"値段\u3000安い ™ é", "値段\u3000安い ™ é"},
		"terminal escape":   {"\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		"C1 escape":         {"\u009b31m", `\u009b31m`},
		"carriage return":   {"safe\rforged", `safe\rforged`},
		"newline":           {"a\nb", `a\nb`},
		"backspace, delete": {"a\bb\x7f", `a\x08b\x7f`},
		"bidi override":     {"a\u202egnp", `a\u202egnp`},
		"zero width":        {"a\u200bb", `a\u200bb`},
		"no-break space":    {"a\u00a0b", `a\u00a0b`},
		"line separator":    {"a\u2028b", `a\u2028b`},
		"byte order mark":   {"\ufeffa", `\ufeffa`},
		"beyond the BMP":    {"\U000e0041", `\U000e0041`},
		"no UTF-8":          {"a\xff\xfeb", `a\xff\xfeb`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.want, clean(test.in)) })
	}
}

func TestCleanCell(t *testing.T) {
	require.Equal(t, `a\tb`, cleanCell("a\tb"), "a tab would break the columns")
	require.Equal(t, "ab", cleanCell("ab"))
}

func TestCleanParagraph(t *testing.T) {
	require.Equal(t, "one", cleanParagraph("one\n", "  "))
	require.Equal(t, "one\n  two\\x1b\n  ", cleanParagraph("one\r\ntwo\x1b\n\r", "  "))
	require.Equal(t, "a\n  @@ update x @@", cleanParagraph("a\n@@ update x @@", "  "), "no line starts at the left edge")
}

func TestMessage(t *testing.T) {
	require.Equal(t, "wanted x, found y", Message("wanted x, found y"))
	require.Equal(t, "one:\n\ttwo\\x1b[2J\n値", Message("one:\r\n\ttwo\x1b[2J\n値"))
}

// harmless fails for text that could do more than show itself.
func harmless(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Fatal("not UTF-8")
	}
	for i, r := range text {
		if r != '\n' && r != '\t' && !visible(r) {
			t.Fatalf("character %U in %q", r, text[max(0, i-60):min(len(text), i+20)])
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\x1b[2J\x9b")
	f.Add("\xff\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		harmless(t, clean(s))
		harmless(t, cleanCell(s))
		harmless(t, cleanParagraph(s, "  "))
		require.False(t, strings.ContainsAny(clean(s), "\n"), "one line stays one line")
		require.Equal(t, clean(s), clean(clean(s)), "cleaning twice changes nothing")
	})
}
