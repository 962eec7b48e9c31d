package printers

import (
	"bytes"
	"fmt"
	"math/rand"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// printedRow reads a line of a diff back: kapp's two number columns, the sign,
// the text.
var printedRow = regexp.MustCompile(`^(?: *(\d+), *(\d+)   | *(\d+)     - | {4} *(\d+) \+ )(.*)$`)

// patch is what a printed diff says, line by line.
type patch struct {
	kind        rowKind
	left, right int
	text        string
}

func readPatch(t *testing.T, printed string) []patch {
	t.Helper()
	var out []patch
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		require.NoError(t, err)
		return n
	}
	for line := range strings.Lines(printed) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "@@ ") || line == "  ..." {
			continue
		}
		m := printedRow.FindStringSubmatch(line)
		require.NotNil(t, m, "%q is no line of a diff", line)
		switch {
		case m[1] != "":
			out = append(out, patch{rowCommon, number(m[1]), number(m[2]), m[5]})
		case m[3] != "":
			out = append(out, patch{rowRemoved, number(m[3]), 0, m[5]})
		default:
			out = append(out, patch{rowAdded, 0, number(m[4]), m[5]})
		}
	}
	return out
}

// applyPatch leads from the old lines to the new ones by what was printed.
func applyPatch(t *testing.T, a []string, patches []patch) []string {
	t.Helper()
	var out []string
	x := 0
	upTo := func(n int) {
		out = append(out, a[x:n]...)
		x = n
	}
	for _, p := range patches {
		switch p.kind {
		case rowCommon:
			upTo(p.left)
			require.Len(t, out, p.right, "the right number counts the lines of the new text")
			require.Equal(t, a[p.left], p.text)
		case rowRemoved:
			upTo(p.left)
			require.Equal(t, a[p.left], p.text)
			x++
		case rowAdded:
			upTo(x + p.right - len(out))
			require.Len(t, out, p.right)
			out = append(out, p.text)
		}
	}
	upTo(len(a))
	return out
}

// randomBody makes a small object: maps, lists, texts of several lines.
func randomBody(random *rand.Rand, depth int) map[string]any {
	out := map[string]any{}
	for range 1 + random.Intn(5) {
		out[string(rune('a'+random.Intn(8)))] = randomValue(random, depth)
	}
	return out
}

func randomValue(random *rand.Rand, depth int) any {
	switch kind := random.Intn(8); {
	case kind == 0 && depth > 0:
		list := make([]any, random.Intn(4))
		for i := range list {
			list[i] = randomValue(random, depth-1)
		}
		return list
	case kind <= 3 && depth > 0:
		return randomBody(random, depth-1)
	case kind == 4:
		return strings.Repeat("line\n", random.Intn(4)) + "end"
	case kind == 5:
		return random.Intn(2) == 0
	case kind == 6:
		return nil
	}
	return int64(random.Intn(5))
}

// mutated is a body that shares most with another.
func mutated(random *rand.Rand, body map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range body {
		inner, isMap := value.(map[string]any)
		switch n := random.Intn(8); {
		case n == 0: // left out
		case n == 1:
			out[key] = randomValue(random, 1)
		case isMap:
			out[key] = mutated(random, inner)
		default:
			out[key] = value
		}
	}
	return out
}

// The printed hunks, applied to the old text, give the new one, with any context.
func TestPrintedHunksApply(t *testing.T) {
	random := rand.New(rand.NewSource(4))
	for range 1500 {
		before := randomBody(random, 3)
		after := mutated(random, before)
		context := random.Intn(5) - 1
		printed := printedUpdate(t, before, after, func(o *Options) { o.Context = context })
		if strings.Contains(printed, "values are equal") {
			require.Equal(t, fmt.Sprint(before), fmt.Sprint(after))
			continue
		}
		a, b := textLines(t, before), textLines(t, after)
		require.Equal(t, b, applyPatch(t, a, readPatch(t, printed)), printed)
	}
}

func textLines(t *testing.T, body map[string]any) []string {
	t.Helper()
	text, err := encodeBody(body, yamlText)
	require.NoError(t, err)
	return append(text.lines, "")
}

// Equal bodies print no line, whatever they hold.
func TestEqualBodiesHaveNoText(t *testing.T) {
	random := rand.New(rand.NewSource(5))
	for range 300 {
		b := randomBody(random, 3)
		require.Empty(t, drawnUpdate(t, b, b))
	}
}

// A comment is never put on a line that isn't changed, and none gets lost.
func TestEveryDifferenceIsTold(t *testing.T) {
	random := rand.New(rand.NewSource(6))
	for range 500 {
		before := randomBody(random, 2)
		after := mutated(random, before)
		var differences []plan.Difference
		for key := range before {
			differences = append(differences, plan.Difference{
				Path: "." + key, Verdict: plan.VerdictDrift, Authors: []plan.Author{{Manager: "author-of-" + key}},
			})
		}
		var out bytes.Buffer
		r := &plan.Report{Objects: []plan.ObjectReport{{Op: plan.OpUpdate, Before: before, After: after, Differences: differences}}}
		require.NoError(t, Changes(r, testOptions(&out)))
		for key := range before {
			require.Equal(t, 1, strings.Count(out.String(), "author-of-"+key), out.String())
		}
		for line := range strings.Lines(out.String()) {
			if common := regexp.MustCompile(`^ *\d+, *\d+   `).MatchString(line); common {
				require.NotContains(t, line, "author-of")
			}
		}
	}
}
