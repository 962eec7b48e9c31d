package printers

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// applyEdits rebuilds the new text from the old one, reading inserted lines from b.
func applyEdits(a, b []string, edits []edit) []string {
	var out []string
	x := 0
	for _, e := range edits {
		out = append(out, a[x:e.a0]...)
		out = append(out, b[e.b0:e.b1]...)
		x = e.a1
	}
	return append(out, a[x:]...)
}

// checkEdits holds what every diff must keep, whatever the input.
func checkEdits(t *testing.T, a, b []string, edits []edit) {
	t.Helper()
	got := applyEdits(a, b, edits)
	require.Equal(t, strings.Join(b, "\n"), strings.Join(got, "\n"), "edits must lead from a to b")
	x, y := 0, 0
	for i, e := range edits {
		require.Equal(t, e.a0-x, e.b0-y, "edit %d: as many common lines on either side", i)
		require.True(t, i == 0 || e.a0 > x, "edit %d touches the one before", i)
		require.True(t, e.a0 < e.a1 || e.b0 < e.b1, "edit %d is empty", i)
		require.True(t, slices.Equal(a[x:e.a0], b[y:e.b0]), "edit %d: lines between edits are equal", i)
		x, y = e.a1, e.b1
	}
	require.Equal(t, len(a)-x, len(b)-y)
}

func letters(s string) []string { return strings.Split(s, "") }

func TestDiffLines(t *testing.T) {
	tests := map[string]struct {
		a, b []string
		want []edit
	}{
		"equal":             {letters("abc"), letters("abc"), nil},
		"both empty":        {nil, nil, nil},
		"all new":           {nil, letters("ab"), []edit{{0, 0, 0, 2}}},
		"all gone":          {letters("ab"), nil, []edit{{0, 2, 0, 0}}},
		"changed line":      {letters("abc"), letters("axc"), []edit{{1, 2, 1, 2}}},
		"two changes":       {letters("abcde"), letters("xbcdy"), []edit{{0, 1, 0, 1}, {4, 5, 4, 5}}},
		"repeated lines":    {letters("xxaxx"), letters("xxbxx"), []edit{{2, 3, 2, 3}}},
		"nothing in common": {letters("abc"), letters("xy"), []edit{{0, 3, 0, 2}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := diffLines(test.a, test.b)
			require.Equal(t, test.want, got)
			checkEdits(t, test.a, test.b, got)
		})
	}
}

func TestDiffLinesSettlesBlocks(t *testing.T) {
	a := strings.Split("ports:\n- name: a\n  port: 80\n- name: b\n  port: 80\nx: 1", "\n")
	b := strings.Split("ports:\n- name: a\n  port: 80\n- name: n\n  port: 80\n- name: b\n  port: 80\nx: 1", "\n")
	require.Equal(t, []edit{{3, 3, 3, 5}}, diffLines(a, b), "an added item starts with its dash")
	require.Equal(t, []edit{{3, 5, 3, 3}}, diffLines(b, a), "so does a removed one")
}

// A block of many changed lines at either end must not paint the equal middle:
// the library alone gives up after a hundred edits.
func TestDiffLinesFindsTheMiddleBetweenLargeChanges(t *testing.T) {
	var a, b []string
	add := func(n int, format string, both bool) {
		for i := range n {
			line := fmt.Sprintf(format, i%7) // repeated, so that no line is an anchor
			a = append(a, line)
			if both {
				b = append(b, line)
			} else {
				b = append(b, "new "+line)
			}
		}
	}
	add(80, "head %d", false)
	add(300, "middle %d", true)
	add(80, "tail %d", false)
	edits := diffLines(a, b)
	checkEdits(t, a, b, edits)
	require.Equal(t, []edit{{0, 80, 0, 80}, {380, 460, 380, 460}}, edits)
}

func TestDiffLinesRandom(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for range 3000 {
		alphabet := 1 + random.Intn(20)
		text := func() []string {
			out := make([]string, random.Intn(40))
			for i := range out {
				out[i] = strings.Repeat(" ", random.Intn(3)) + string(rune('a'+random.Intn(alphabet)))
			}
			return out
		}
		a := text()
		b := text()
		if random.Intn(2) == 0 { // related texts
			b = append([]string{}, a...)
			for range random.Intn(5) {
				if len(b) > 0 {
					b[random.Intn(len(b))] = text2(random)
				}
			}
		}
		checkEdits(t, a, b, diffLines(a, b))
	}
}

func text2(random *rand.Rand) string { return fmt.Sprint("changed ", random.Intn(4)) }

func FuzzDiffLines(f *testing.F) {
	f.Add("a\nb\nc", "a\nx\nc")
	f.Add("", "a")
	f.Add("a\nb\na\nb\ny", "b\ny\na\nb\na")
	f.Fuzz(func(t *testing.T, left, right string) {
		a, b := strings.Split(left, "\n"), strings.Split(right, "\n")
		checkEdits(t, a, b, diffLines(a, b))
	})
}

// largeTexts are the budget's input: 20,000 lines. every changes each n-th line.
func largeTexts(n, every int) (a, b []string) {
	for i := range n {
		line := fmt.Sprintf("    key%05d: value %d", i, i%97)
		a = append(a, line)
		if i%every == 0 {
			line += " changed"
		}
		b = append(b, line)
	}
	return a, b
}

func BenchmarkDiffLines(b *testing.B) {
	shuffled := func(in []string) []string {
		out := append([]string{}, in...)
		rand.New(rand.NewSource(1)).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		return out
	}
	few := func(n, alphabet, seed int) []string {
		random := rand.New(rand.NewSource(int64(seed)))
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprint(random.Intn(alphabet))
		}
		return out
	}
	all1, all2 := largeTexts(20000, 1)
	tenth1, tenth2 := largeTexts(20000, 10)
	cases := map[string][2][]string{
		"20000 all changed":     {all1, all2},
		"20000 each tenth":      {tenth1, tenth2},
		"20000 first and last":  {all1, append(append([]string{"x"}, all1[1:19999]...), "y")},
		"20000 shuffled":        {all1, shuffled(all1)},
		"20000 repeated lines":  {few(20000, 5, 1), few(20000, 5, 2)},
		"20000 few occurrences": {few(20000, 5000, 1), few(20000, 5000, 2)},
	}
	for name, texts := range cases {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				diffLines(texts[0], texts[1])
			}
		})
	}
}
