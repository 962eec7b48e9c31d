package printers

import (
	"bytes"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// longJSON is case Y13: a minified value of 300,000 characters in one line.
func longJSON(tail string) string {
	var b strings.Builder
	for i := range 11000 {
		fmt.Fprintf(&b, `{"k%05d":"%s"},`, i, strings.Repeat("v", 15))
	}
	return b.String()[:299000] + strings.Repeat(tail, 1000)
}

func configMap(data map[string]any) map[string]any {
	return map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "long-line"}, "data": data,
	}
}

// printedUpdate gives the blocks of one update.
func printedUpdate(t *testing.T, before, after map[string]any, change func(*Options)) string {
	t.Helper()
	var out bytes.Buffer
	o := testOptions(&out)
	if change != nil {
		change(&o)
	}
	require.NoError(t, Changes(&plan.Report{Objects: []plan.ObjectReport{{
		APIVersion: "v1", Kind: "ConfigMap", Name: "long-line", Op: plan.OpUpdate, Before: before, After: after,
	}}}, o))
	return out.String()
}

func TestOneLongLine(t *testing.T) {
	got := printedUpdate(t, configMap(map[string]any{"json": longJSON("z")}), configMap(map[string]any{"json": longJSON("x")}), nil)
	golden(t, "long-line", []byte(got))
	for _, line := range strings.Split(got, "\n") {
		require.Less(t, utf8.RuneCountInString(line), 320)
	}
}

func TestLongLineOneCharacterChanged(t *testing.T) {
	before := longJSON("z")
	after := before[:200000] + "é" + before[200001:]
	got := printedUpdate(t, configMap(map[string]any{"json": before}), configMap(map[string]any{"json": after}), nil)
	require.Contains(t, got, "differs at 2000", "says where")
	require.Contains(t, got, "é", "shows the change itself")
	require.Less(t, len(got), 1500)
}

func TestLongLineCreated(t *testing.T) {
	got := printedUpdate(t, nil, configMap(map[string]any{"json": longJSON("z")}), nil)
	require.Less(t, len(got), 600)
	require.Contains(t, got, "… (3000")
}

func TestShortened(t *testing.T) {
	digits := strings.Repeat("0123456789", 100)
	tests := map[string]struct {
		row  row
		want string
	}{
		"short":         {row{text: "a: 1"}, "a: 1"},
		"nothing known": {row{text: digits}, digits[:180] + "… (1000 characters)"},
		"at the start": {
			row{text: digits, from: 2, to: 3},
			digits[:23] + "… (1000 characters, differs at 3)",
		},
		"in the middle": {
			row{text: digits, from: 500, to: 510},
			digits[:40] + "…" + digits[460:530] + "… (1000 characters, differs at 501 to 510)",
		},
		"at the end": {
			row{text: digits, from: 990, to: 1000},
			digits[:40] + "…" + digits[950:] + " (1000 characters, differs at 991 to 1000)",
		},
		"a long change": {
			row{text: digits, from: 100, to: 900},
			digits[:40] + "…" + digits[60:200] + "… (1000 characters, differs at 101 to 900)",
		},
		"inserted on the other side": {
			row{text: digits, from: 500, to: 500},
			digits[:40] + "…" + digits[460:520] + "… (1000 characters, differs at 501)",
		},
		"long in bytes only": {row{text: strings.Repeat("é", 300)}, strings.Repeat("é", 300)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.want, shortened(test.row, 400)) })
	}
}

func TestShortenedRandom(t *testing.T) {
	random := rand.New(rand.NewSource(3))
	alphabet := []rune("aé値\x1b\u202e ")
	text := func() string {
		out := make([]rune, random.Intn(900))
		for i := range out {
			out[i] = alphabet[random.Intn(len(alphabet))]
		}
		return string(out)
	}
	for range 3000 {
		a := text()
		at := forward(a, 0, random.Intn(900))
		l, r := row{text: a}, row{text: a[:at] + text()}
		markPair(&l, &r)
		require.Equal(t, l.text[:l.from], r.text[:r.from])
		require.Equal(t, l.text[l.to:], r.text[r.to:])
		for _, x := range []row{l, r} {
			got := shortened(x, 200)
			harmless(t, got)
			require.LessOrEqual(t, utf8.RuneCountInString(got), 6*400, "escapes make a character up to six wide")
		}
	}
}

func TestOneLine(t *testing.T) {
	require.Equal(t, "nothing", oneLine(false, nil))
	require.Equal(t, "null", oneLine(true, nil))
	require.Equal(t, `["<b>",{"a":1}]`, oneLine(true, []any{"<b>", map[string]any{"a": 1}}))
	require.Equal(t, `"`+strings.Repeat("x", 99)+"… (302 characters)", oneLine(true, strings.Repeat("x", 300)))
	require.Equal(t, `"\u001b\u202e"`, oneLine(true, "\x1b\u202e"))
	require.Contains(t, oneLine(true, func() {}), "<encode JSON", "a broken value is told, not hidden")
}
