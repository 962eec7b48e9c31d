package printers

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

func TestComment(t *testing.T) {
	at := minutesAgo(90)
	edit := plan.Author{Manager: "kubectl-edit", Operation: "Update", Time: at}
	scale := plan.Author{Manager: "hpa", Operation: "Update", Subresource: "scale"}
	operator := plan.Author{Manager: "operator", Operation: "Apply", Time: at}
	tests := map[string]struct {
		difference plan.Difference
		want       string
	}{
		"drift": {
			plan.Difference{Verdict: plan.VerdictDrift, Authors: []plan.Author{edit}},
			"drift: changed by kubectl-edit, at or before 2026-03-02T10:30:00Z",
		},
		"drift by two": {
			plan.Difference{Verdict: plan.VerdictDrift, Authors: []plan.Author{edit, scale}},
			"drift: changed by kubectl-edit, at or before 2026-03-02T10:30:00Z; hpa (scale)",
		},
		"drift by nobody known": {plan.Difference{Verdict: plan.VerdictDrift}, "drift: author unknown"},
		"a deleted field has no author": {
			plan.Difference{Verdict: plan.VerdictDrift, AuthorUnknown: true, Authors: []plan.Author{edit}},
			"drift: author unknown",
		},
		"conflict": {
			plan.Difference{Verdict: plan.VerdictConflict, Authors: []plan.Author{operator}},
			`conflict with "operator" (Apply)`,
		},
		"conflict with nobody known": {plan.Difference{Verdict: plan.VerdictConflict}, "conflict with another manager"},
		"server":                     {plan.Difference{Verdict: plan.VerdictServer}, "by the server"},
		"release": {
			plan.Difference{Verdict: plan.VerdictRelease, Authors: []plan.Author{operator, edit}},
			"released (kept by operator, kubectl-edit)",
		},
		"release to nobody known": {plan.Difference{Verdict: plan.VerdictRelease}, "released (kept by another manager)"},
		"ineffective":             {plan.Difference{Verdict: plan.VerdictIneffective}, "the server undoes this value"},
		"immutable":               {plan.Difference{Verdict: plan.VerdictImmutable}, "immutable"},
		"remove says it itself":   {plan.Difference{Verdict: plan.VerdictRemove, Authors: []plan.Author{edit}}, ""},
		"a change of ours": {
			plan.Difference{Verdict: plan.VerdictChange, Authors: []plan.Author{{Manager: "tazuna", Operation: "Apply"}}}, "",
		},
		"a change over somebody's value": {
			plan.Difference{Verdict: plan.VerdictChange, Authors: []plan.Author{{Manager: "tazuna"}, edit}},
			"live value by kubectl-edit, at or before 2026-03-02T10:30:00Z",
		},
		"a name that reads like a sentence": {
			plan.Difference{Verdict: plan.VerdictDrift, Authors: []plan.Author{{Manager: "me, at or before 1970"}}},
			`drift: changed by "me, at or before 1970"`,
		},
		"no name": {
			plan.Difference{Verdict: plan.VerdictDrift, Authors: []plan.Author{{Manager: ""}}},
			`drift: changed by ""`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.want, Options{}.comment(test.difference)) })
	}
	require.Empty(t, Options{FieldManager: "ci"}.comment(plan.Difference{
		Verdict: plan.VerdictChange, Authors: []plan.Author{{Manager: "ci"}},
	}), "our own manager may have another name")
}

// annotated prints the update of two YAML bodies with differences.
func annotated(t *testing.T, before, after string, differences ...plan.Difference) string {
	t.Helper()
	var out bytes.Buffer
	o := testOptions(&out)
	o.LineNumbers, o.Context = false, 0
	require.NoError(t, Changes(&plan.Report{Objects: []plan.ObjectReport{{
		APIVersion: "v1", Kind: "X", Name: "x", Op: plan.OpUpdate,
		Before: body(t, before), After: body(t, after), Differences: differences,
	}}}, o))
	return out.String()
}

const xHeader = "@@ update x/x (v1) cluster @@\n"

func TestAnnotateChoosesTheLine(t *testing.T) {
	drift := func(path string) plan.Difference {
		return plan.Difference{Path: path, Verdict: plan.VerdictDrift, HasLive: true}
	}
	tests := map[string]struct {
		before, after string
		difference    plan.Difference
		want          string
	}{
		"the live value": {"a: 1", "a: 2", drift(".a"), "- a: 1  # drift: author unknown\n+ a: 2\n"},
		"a value that is gone": {
			"a: 1", "{a: 1, b: 2}", drift(".b"), "  ...\n+ b: 2  # drift: author unknown\n",
		},
		"a value that was put there": {
			"{a: 1, b: 2}", "a: 1", drift(".b"), "  ...\n- b: 2  # drift: author unknown\n",
		},
		"the first changed line of a subtree": {
			"a: {b: 1, c: 2, d: 3}", "a: {b: 1, c: 9, d: 9}", drift(".a"),
			"  ...\n-   c: 2  # drift: author unknown\n-   d: 3\n+   c: 9\n+   d: 9\n",
		},
		"what the server will add": {
			"a: 1", "a: 2", plan.Difference{Path: ".a", Verdict: plan.VerdictServer}, "- a: 1\n+ a: 2  # by the server\n",
		},
		"what the server will remove": {
			"{a: 1, b: 2}", "a: 1", plan.Difference{Path: ".b", Verdict: plan.VerdictServer}, "  ...\n- b: 2  # by the server\n",
		},
		"a new element beside one that looks like it": {
			"p: [{name: a, port: 80}]", "p: [{name: b, port: 80, protocol: UDP}]",
			plan.Difference{Path: `.p[port=80,protocol="UDP"]`, Verdict: plan.VerdictDrift},
			"  ...\n- - name: a\n+ - name: b  # drift: author unknown\n  ...\n+   protocol: UDP\n",
		},
		"within a text": {
			"s: \"one\\ntwo\\nthree\\n\"", "s: \"one\\n2\\nthree\\n\"", drift(".s"),
			"  ...\n-   two  # drift: author unknown\n+   2\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, xHeader+test.want, annotated(t, test.before, test.after, test.difference))
		})
	}
}

func TestAnnotateFallsBackToNotes(t *testing.T) {
	got := annotated(t, "a: 1\nkeep: 1", "a: 2\nkeep: 1",
		plan.Difference{Path: ".keep", Verdict: plan.VerdictRelease, Authors: []plan.Author{{Manager: "m"}}},
		plan.Difference{Path: ".gone", Verdict: plan.VerdictDrift},
		plan.Difference{Path: "unreadable", Verdict: plan.VerdictServer})
	require.Equal(t, xHeader+"- a: 1\n+ a: 2\n"+
		"  # .keep: released (kept by m)\n  # .gone: drift: author unknown\n  # unreadable: by the server\n", got)
}

func TestAnnotateJoinsCommentsOfALine(t *testing.T) {
	got := annotated(t, "a: 1", "a: 2",
		plan.Difference{Path: ".a", Verdict: plan.VerdictDrift, HasLive: true},
		plan.Difference{Path: ".a", Verdict: plan.VerdictDrift, HasLive: true},
		plan.Difference{Path: ".a", Verdict: plan.VerdictImmutable, HasLive: true})
	require.Equal(t, xHeader+"- a: 1  # drift: author unknown; immutable\n+ a: 2\n", got, "the same is said once")
}

func TestAnUpdateWithoutVisibleChangeSaysSo(t *testing.T) {
	require.Equal(t, xHeader+"  # the compared values are equal\n", annotated(t, "a: 1", "a: 1"))
	require.Equal(t, xHeader+"  # the compared values are equal apart from:\n  # .b: released (kept by m)\n",
		annotated(t, "a: 1", "a: 1", plan.Difference{
			Path: ".b", Verdict: plan.VerdictRelease, Authors: []plan.Author{{Manager: "m"}},
		}))
}
