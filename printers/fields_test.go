package printers

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

func TestFieldsPrintsOneLineAPath(t *testing.T) {
	var out bytes.Buffer
	o := DefaultOptions(&out)
	o.Summary, o.ShowIgnored = false, true
	r := &plan.Report{Objects: []plan.ObjectReport{{
		APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web", Op: plan.OpUpdate,
		Differences: []plan.Difference{
			{Path: ".spec.replicas", Verdict: plan.VerdictDrift, Live: int64(5), Desired: int64(2), HasLive: true, HasDesired: true, AuthorUnknown: true},
			{Path: ".data.old", Verdict: plan.VerdictRemove, Live: "x", HasLive: true},
		},
		Hidden: []plan.Difference{{Path: ".spec.x", Verdict: plan.VerdictIneffective, Desired: true, HasDesired: true}},
	}, {APIVersion: "v1", Kind: "ConfigMap", Name: "same"}}}
	require.NoError(t, Fields(r, o))
	require.Equal(t, `@@ update deployment/web (apps/v1) namespace: shop @@
  drift       .spec.replicas: 5 -> 2  # drift: author unknown
  remove      .data.old: "x" -> nothing
  ineffective .spec.x: nothing -> true  # the server undoes this value
`, out.String())
}

func TestHighlightMarksWhatDiffersInALine(t *testing.T) {
	a, b := row{kind: rowRemoved, text: "image: example.com/web:1"}, row{kind: rowAdded, text: "image: example.com/web:20"}
	rs := []row{a, b}
	markChanges(rs)
	p := newPrinter(Options{Color: true, Width: 400})
	require.Contains(t, p.rowText(rs[0]), p.paint.removedStrong.Sprint("1"))
	require.Contains(t, p.rowText(rs[1]), p.paint.addedStrong.Sprint("20"))
	plain := newPrinter(Options{Width: 400})
	require.NotContains(t, plain.rowText(rs[0]), "\x1b")
}

func TestHighlightLeavesOtherLinesAlone(t *testing.T) {
	rs := []row{{kind: rowRemoved, text: "    a: b"}, {kind: rowAdded, text: "    replicas: 5"}}
	markChanges(rs)
	require.False(t, worthHighlighting(rs[0]))
}
