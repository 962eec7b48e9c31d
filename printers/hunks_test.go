package printers

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// drawn writes rows compactly: the kind and the text of each.
func drawn(rs []row) string {
	parts := make([]string, len(rs))
	for i, r := range rs {
		parts[i] = string(rune(r.kind)) + r.text
	}
	return strings.Join(parts, "")
}

func TestRows(t *testing.T) {
	tests := map[string]struct {
		a, b    string
		context int
		want    string
	}{
		"equal":                     {"abc", "abc", 2, ""},
		"two lines on both sides":   {"abcdefghi", "abcdXfghi", 2, ". c d-e+X f g"},
		"no context":                {"abcde", "abXde", 0, ".-c+X"},
		"everything":                {"abcde", "abXde", -1, " a b-c+X d e"},
		"more than there is":        {"abc", "aXc", 9, " a-b+X c"},
		"no gap at the start":       {"abcdef", "aXcdef", 2, " a-b+X c d"},
		"gap between hunks":         {"abcdefghij", "aXcdefghXj", 2, " a-b+X c d. g h-i+X j"},
		"hunks that touch":          {"abcdefg", "aXcdeXg", 2, " a-b+X c d e-f+X g"},
		"hunks that share context":  {"abcde", "aXcXe", 2, " a-b+X c-d+X e"},
		"gap without context":       {"abcde", "XbcXe", 0, "-a+X.-d+X"},
		"removed before added":      {"ab", "XY", 2, "-a-b+X+Y"},
		"added at the end":          {"abc", "abcX", 1, ". c+X"},
		"removed at the start":      {"Xabc", "abc", 1, "-X a"},
		"a gap of a single line":    {"abcdefg", "XbcdefX", 2, "-a+X b c. e f-g+X"},
		"an adjacent hidden window": {"abcdef", "XbcdeX", 2, "-a+X b c d e-f+X"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a, b := letters(test.a), letters(test.b)
			require.Equal(t, test.want, drawn(rows(a, b, diffLines(a, b), test.context)))
		})
	}
}

func TestRowsNumberBothSides(t *testing.T) {
	a, b := letters("abcd"), letters("aXYcd")
	rs := rows(a, b, diffLines(a, b), 1)
	var got []string
	for _, r := range rs {
		got = append(got, fmt.Sprintf("%c%d,%d", r.kind, r.left, r.right))
	}
	require.Equal(t, []string{" 0,0", "-1,0", "+0,1", "+0,2", " 2,3"}, got)
}

// Whatever the input: the rows with full context rebuild both texts, and every
// change has context on both sides, as much as there is.
func TestRowsRandom(t *testing.T) {
	random := rand.New(rand.NewSource(2))
	text := func() []string {
		out := make([]string, random.Intn(30))
		for i := range out {
			out[i] = string(rune('a' + random.Intn(6)))
		}
		return out
	}
	for range 2000 {
		a, b := text(), text()
		edits := diffLines(a, b)
		rebuild(t, a, b, rows(a, b, edits, -1))
		context := random.Intn(4)
		checkContext(t, a, b, edits, rows(a, b, edits, context), context)
		require.Empty(t, rows(a, a, diffLines(a, a), context), "no row for equal texts")
	}
}

func rebuild(t *testing.T, a, b []string, rs []row) {
	t.Helper()
	var left, right []string
	for _, r := range rs {
		require.NotEqual(t, rowGap, r.kind)
		if r.kind != rowAdded {
			left = append(left, r.text)
		}
		if r.kind != rowRemoved {
			right = append(right, r.text)
		}
	}
	if len(diffLines(a, b)) > 0 {
		require.Equal(t, strings.Join(a, ""), strings.Join(left, ""))
		require.Equal(t, strings.Join(b, ""), strings.Join(right, ""))
	}
}

func checkContext(t *testing.T, a, b []string, edits []edit, rs []row, context int) {
	t.Helper()
	shown := map[int]bool{}
	for _, r := range rs {
		if r.kind == rowCommon {
			require.Equal(t, a[r.left], r.text)
			require.Equal(t, b[r.right], r.text)
			require.False(t, shown[r.left], "line %d is shown twice", r.left)
			shown[r.left] = true
		}
	}
	want := map[int]bool{}
	end := 0
	for i, e := range edits {
		for n := max(end, e.a0-context); n < e.a0; n++ {
			want[n] = true
		}
		end = e.a1
		next := len(a)
		if i+1 < len(edits) {
			next = edits[i+1].a0
		}
		for n := e.a1; n < min(next, e.a1+context); n++ {
			want[n] = true
		}
	}
	require.Equal(t, want, shown)
}
