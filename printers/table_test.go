package printers

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

func printedTable(t *testing.T, table *table, color bool) string {
	t.Helper()
	var out bytes.Buffer
	o := testOptions(&out)
	o.Color = color
	p := newPrinter(o)
	table.print(p)
	require.NoError(t, p.flush())
	return out.String()
}

func TestTable(t *testing.T) {
	table := &table{header: []string{"A", "Long", "C"}, wrap: map[int]int{2: 10}}
	table.add(cell{text: "x"}, cell{}, cell{text: "one two three four"})
	table.add(cell{text: "x"}, cell{text: "値段"}, cell{text: "five"})
	table.add(cell{text: "yy"}, cell{text: "b"}, cell{})
	table.add(cell{text: "x"}, cell{text: "b"}, cell{text: "averylongword"})
	table.ditto()
	require.Equal(t, ""+
		"A   Long  C\n"+
		"x   -     one two\n"+
		"          three four\n"+
		"^   値段    five\n"+
		"yy  b     -\n"+
		"x   b     averylongw\n"+
		"          ord\n", printedTable(t, table, false))
}

func TestTableColorsDoNotMoveColumns(t *testing.T) {
	table := &table{header: []string{"Op", "Name"}}
	table.add(cell{text: "create", color: newPalette(true).added}, cell{text: "a"})
	got := printedTable(t, table, true)
	require.Equal(t, "Op      Name\n\x1b[32mcreate\x1b[0m  a\n", got)
}

func TestWrapText(t *testing.T) {
	tests := map[string][]string{
		"":                {""},
		"one":             {"one"},
		"one two":         {"one", "two"},
		"a b c":           {"a b c"},
		"abcdefgh":        {"abcde", "fgh"},
		"ab abcdefgh ij":  {"ab", "abcde", "fgh", "ij"},
		"  blanks   go  ": {"blank", "s go"},
		"éééééé":          {"ééééé", "é"},
	}
	for text, want := range tests {
		require.Equal(t, want, wrapText(text, 5), text)
	}
}

func TestSummaryRows(t *testing.T) {
	objects := []plan.ObjectReport{
		{Namespace: "b", Name: "x", Kind: "B", Op: plan.OpUpdate},
		{Namespace: "b", Name: "x", Kind: "A", APIVersion: "v2", Op: plan.OpUpdate},
		{Namespace: "b", Name: "x", Kind: "A", APIVersion: "v1", Op: plan.OpUpdate},
		{Namespace: "b", Name: "w", Kind: "Z", WaitTo: "reconcile"},
		{Namespace: "a", Name: "same", Kind: "A"},
		{Name: "cluster", Kind: "C", Op: plan.OpDelete},
	}
	var got []string
	for _, o := range listed(objects) {
		got = append(got, o.Namespace+"/"+o.Name+"/"+o.Kind+"/"+o.APIVersion)
	}
	require.Equal(t, []string{"/cluster/C/", "b/w/Z/", "b/x/A/v1", "b/x/A/v2", "b/x/B/"}, got,
		"sorted; an object that only waits is listed, one without operation and wait is not")
	require.Equal(t, "b", objects[0].Namespace, "the report keeps its order")
}

func TestSummaryCells(t *testing.T) {
	p := newPrinter(testOptions(nil))
	ages := map[time.Duration]string{
		30 * time.Second: "30s", 5 * time.Minute: "5m", 7 * time.Hour: "7h", 50 * time.Hour: "2d2h",
	}
	for ago, want := range ages {
		at := testNow.Add(-ago)
		require.Equal(t, want, p.summaryCells(plan.ObjectReport{Created: &at})[3].text)
	}
	cells := p.summaryCells(plan.ObjectReport{})
	require.Equal(t, "(cluster)", cells[0].text)
	require.Empty(t, cells[3].text, "an object that doesn't exist has no age")
	require.Nil(t, p.summaryCells(plan.ObjectReport{State: "ok"})[7].color)
	require.NotNil(t, p.summaryCells(plan.ObjectReport{State: "fail"})[7].color)
}

func TestCounts(t *testing.T) {
	require.Equal(t, "1 create, 2 delete, 3 update, 4 noop, 5 exists",
		opCounts(plan.Summary{Create: 1, Delete: 2, Update: 3, Noop: 4, Exists: 5}))
	require.Equal(t, "0 create, 0 delete, 0 update, 0 noop, 0 exists, 1 adopt, 2 replace, 3 refused, 4 blocked, 5 failed",
		opCounts(plan.Summary{Adopt: 1, Replace: 2, Refused: 3, Blocked: 4, Failed: 5}))
	require.Equal(t, "1 reconcile, 2 delete, 3 noop", waitCounts(plan.Summary{Reconcile: 1, WaitGone: 2, WaitNoop: 3}))
}

func TestNotes(t *testing.T) {
	require.Empty(t, noteLines(&plan.Report{}, false))
	r := &plan.Report{Summary: plan.Summary{Hidden: 2}}
	require.Equal(t, []string{"2 differences that the server undoes are hidden (--show-ignored)"}, noteLines(r, false))
	require.Empty(t, noteLines(r, true))
	require.Equal(t, "left over: configmap/a (v1) cluster (removed from the files; --prune deletes)",
		leftoverLine(plan.Leftover{APIVersion: "v1", Kind: "ConfigMap", Name: "a"}))
	require.Equal(t, "left over: configmap/a (v1) cluster (it can't be read)",
		leftoverLine(plan.Leftover{APIVersion: "v1", Kind: "ConfigMap", Name: "a", Reason: "it can't be read", Destroy: true}))
}
