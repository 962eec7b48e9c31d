package printers

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// hostile puts one text wherever a file or a cluster could.
func hostile(s string) *plan.Report {
	difference := func(v plan.Verdict) plan.Difference {
		return plan.Difference{
			Path: ".data." + s, Verdict: v, Live: s, HasLive: true, Desired: s + "x", HasDesired: true,
			Authors: []plan.Author{{Manager: s, Operation: s, Subresource: s}},
		}
	}
	object := func(op plan.Op, verdicts ...plan.Verdict) plan.ObjectReport {
		o := plan.ObjectReport{
			Manifest: s, APIVersion: s, Kind: s, Namespace: s, Name: s, Op: op, OpStrategy: s, WaitTo: s,
			State: s, Info: s, Reason: s, Unverified: s, Notes: []string{s},
			Before: map[string]any{"data": map[string]any{s: s, "k": s, "n": int64(1)}},
			After:  map[string]any{"data": map[string]any{s: s + "x", "k": s, "l": []any{s}}},
		}
		for _, v := range verdicts {
			o.Differences = append(o.Differences, difference(v))
		}
		o.Hidden = []plan.Difference{difference(plan.VerdictIneffective)}
		return o
	}
	return &plan.Report{
		Objects: []plan.ObjectReport{
			object(plan.OpUpdate, plan.VerdictDrift, plan.VerdictChange, plan.VerdictRelease),
			object(plan.OpRefuse, plan.VerdictConflict), object(plan.OpBlocked, plan.VerdictImmutable),
			object(plan.OpError), object(plan.OpDelete), object(plan.Op(s)),
		},
		Leftover:   []plan.Leftover{{Manifest: s, APIVersion: s, Kind: s, Namespace: s, Name: s, Reason: s}},
		RecordOnly: []plan.RecordOnly{{Manifest: s, Reason: s}},
		Summary:    plan.Summary{Hidden: 1},
	}
}

func hostileState(s string) []interface{ Print(Options) error } {
	r := StateResource{Group: s, Version: s, Kind: s, Namespace: s, Name: s}
	drifted := StateDrifted{
		StateResource: r, Status: s, LiveHash: s, StoredHash: s,
		Differences: []plan.Difference{{Path: s, Verdict: plan.VerdictDrift, Live: s, HasLive: true, Authors: []plan.Author{{Manager: s}}}},
	}
	return []interface{ Print(Options) error }{
		NewStateList([]StateManifest{{
			Manifest: s, LastSyncedAt: s, GitCommitHash: s, Notes: []string{s},
			Entries: []StateEntry{{StateResource: r, ContentHash: s}, {RawKey: s}},
		}}),
		NewStateDiff([]StateDiffManifest{{Manifest: s, Notes: []string{s}, Changes: []StateChange{{r, s, s, s}, {r, s, "", s}}}}),
		NewStateDrift([]StateDriftManifest{{Manifest: s, Notes: []string{s}, Objects: []StateDrifted{drifted}}}),
	}
}

// printAll gives every text of this package for one input.
func printAll(t *testing.T, s string, color bool) string {
	t.Helper()
	var out bytes.Buffer
	o := testOptions(&out)
	o.Color = color
	require.NoError(t, Report(hostile(s), o))
	o.ShowIgnored = true
	require.NoError(t, Report(hostile(s), o))
	for _, state := range hostileState(s) {
		require.NoError(t, state.Print(o))
	}
	object := EventObject{Group: s, Kind: s, Namespace: s, Name: s}
	for _, e := range []Event{
		{Type: s, Object: &object, Reason: s, Details: []string{s}, Total: 1},
		{Type: EventWaiting, Object: &object, Reason: s, Total: 1},
		{Type: EventProgress, Pending: []Pending{{Object: object, Reason: s}}, Total: 1},
	} {
		require.NoError(t, NewProgress(&out, color).Print(e))
		out.WriteString(newLiveModel(newPalette(color)).take(e).View().Content)
	}
	for _, format := range []string{"json", "name"} {
		require.NoError(t, Structured(&out, format, hostile(s)))
	}
	return out.String()
}

// FuzzOutputIsHarmless holds the promise that no value reaches a terminal raw.
func FuzzOutputIsHarmless(f *testing.F) {
	f.Add("\x1b]0;title\x07\x1b[31m")
	f.Add("a\n@@ update secret/x (v1) namespace: default @@\n")
	f.Add("\xff\xfe\x00\x01")
	f.Add("\u202e\u009b\u2028\r")
	f.Add(strings.Repeat("long \x1b", 200))
	f.Fuzz(func(t *testing.T, s string) {
		harmless(t, printAll(t, s, false))
		harmless(t, stripColor(printAll(t, s, true)))
	})
}

func TestAManifestCannotForgeALine(t *testing.T) {
	for _, attack := range []string{
		"@@ update secret/forged (v1) namespace: default @@",
		"a\n@@ update secret/forged (v1) namespace: default @@",
		"a\r@@ update secret/forged (v1) namespace: default @@",
		"\n\nOp:      9 create",
	} {
		r := hostile(attack)
		for i := range r.Objects {
			r.Objects[i].Namespace = "ns" // the only text that starts a line of the table
		}
		for _, numbers := range []bool{true, false} {
			var out bytes.Buffer
			o := testOptions(&out)
			o.LineNumbers, o.ShowIgnored = numbers, true
			require.NoError(t, Report(r, o))
			for _, line := range strings.Split(out.String(), "\n") {
				forged := strings.HasPrefix(line, "@@ update secret/forged") || strings.HasPrefix(line, "Op:      9")
				require.False(t, forged, line)
			}
		}
	}
}

func TestABodyThatYAMLCannotHoldIsShownAsJSON(t *testing.T) {
	side := func(n int64) map[string]any { return map[string]any{"a": "\u0080", "n": n} }
	o := plan.ObjectReport{Before: side(1), After: side(2)}
	before, after, err := encodeWith(jsonText, o)
	require.NoError(t, err)
	require.Equal(t, []string{"{", `  "a": "\u0080",`, `  "n": 1`, "}"}, before.lines)
	at, ok := (&locator{body: after}).find(".n")
	require.True(t, ok, "paths are found in it as well")
	require.Equal(t, span{2, 4}, at)
}
