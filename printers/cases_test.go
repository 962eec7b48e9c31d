package printers

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// caseBody reads an input of a known case of the field.
func caseBody(t *testing.T, file string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "cases", file))
	require.NoError(t, err)
	return body(t, string(data))
}

// maskedUpdate makes the report of an update as the plan does: masked before
// anything else sees it.
func maskedUpdate(before, after map[string]any, differences ...plan.Difference) *plan.Report {
	o := plan.ObjectReport{
		APIVersion: "v1", Kind: "Secret", Namespace: "default", Name: "keys", Op: plan.OpUpdate, Differences: differences,
	}
	switch {
	case before == nil:
		o.Op = plan.OpCreate
	case after == nil:
		o.Op = plan.OpDelete
	}
	o.Before, o.After = object.DefaultMasker().Pair(before, after)
	return &plan.Report{APIVersion: plan.APIVersion, Kind: plan.ReportKind, Objects: []plan.ObjectReport{o}}
}

// S01: for each key its name and whether it is added, changed, removed or the
// same; no value of any side in any output.
func TestCaseSecretValuesAreNotShown(t *testing.T) {
	before, after := caseBody(t, "S01-1.yaml"), caseBody(t, "S01-2.yaml")
	for name, r := range map[string]*plan.Report{
		"update": maskedUpdate(before, after), "create": maskedUpdate(nil, after), "delete": maskedUpdate(before, nil),
	} {
		var out bytes.Buffer
		require.NoError(t, Report(r, testOptions(&out)))
		golden(t, "case-secret-"+name, out.Bytes())
		for _, format := range []string{"json", "yaml", "kyaml", "jsonpath={.objects}", "go-template={{.}}"} {
			require.NoError(t, Structured(&out, format, r))
		}
		for _, value := range []string{
			"c3dvcmQ", "swordfish", "first-pass", "Zmlyc3QtcGFzcw", "second-pass", "c2Vjb25kLXBhc3M", "steady-value", "brand-new",
		} {
			require.NotContains(t, out.String(), value, name)
		}
	}
}

// T01: an escape byte only where colour was asked for, never in machine formats.
func TestCaseColorWhereItBelongs(t *testing.T) {
	r := maskedUpdate(caseBody(t, "T01-1.yaml"), caseBody(t, "T01-2.yaml"))
	for _, color := range []bool{false, true} {
		var out bytes.Buffer
		o := testOptions(&out)
		o.Color = color
		require.NoError(t, Report(r, o))
		require.Equal(t, color, strings.Contains(out.String(), "\x1b"))
	}
}

// Y17: binary values are shown as base64, never raw.
func TestCaseBinaryData(t *testing.T) {
	single := caseBody(t, "Y17.yaml")
	require.Empty(t, drawnUpdate(t, single, single))

	changed := caseBody(t, "Y17.yaml")
	changed["binaryData"] = map[string]any{"blob": "//4AAQ=="}
	got := drawnUpdate(t, single, changed)
	require.Contains(t, got, "-   blob: //4AAQIDBAUG")
	require.Contains(t, got, "+   blob: //4AAQ==")
}

func drawnUpdate(t *testing.T, before, after map[string]any) string {
	t.Helper()
	got := printedUpdate(t, before, after, func(o *Options) { o.LineNumbers, o.Context = false, 0 })
	return strings.TrimPrefix(got, "@@ update configmap/long-line (v1) cluster @@\n  # the compared values are equal\n")
}

func TestStringsThatAreNoTextAreSummarised(t *testing.T) {
	side := func(s string) map[string]any { return configMap(map[string]any{"blob": s, "list": []any{s, "text"}}) }
	got := drawnUpdate(t, side("\xff\xfe\x00\x01"), side("\xff\xfe\x00\x02"))
	harmless(t, got)
	require.Equal(t, 4, strings.Count(got, "<4 bytes that are no text, sha256 "), "different values look different")
	require.Empty(t, drawnUpdate(t, side("\xff"), side("\xff")))

	withKey := drawnUpdate(t, configMap(map[string]any{"a": "1"}), configMap(map[string]any{"a\xff": "1"}))
	harmless(t, withKey)
	require.Contains(t, withKey, "<2 bytes that are no text, sha256 ")
}

// The summary never changes the Report, which other printers use as well.
func TestSummarisingCopies(t *testing.T) {
	in := map[string]any{"a": []any{"\xff"}, "m": map[string]any{"\xfe": int64(1)}}
	before := fmt.Sprint(in)
	_, err := encodeBody(in, jsonText)
	require.NoError(t, err)
	require.Equal(t, before, fmt.Sprint(in))
}

// B17: an item inserted first shows its two lines and nothing else.
func TestCaseInsertedListItem(t *testing.T) {
	service := func(ports string) map[string]any { return body(t, "spec:\n  ports:\n"+ports) }
	one, two := "  - {name: one, port: 80}\n", "  - {name: two, port: 81}\n"
	require.Contains(t, drawnUpdate(t, service(one+two), service("  - {name: zero, port: 79}\n"+one+two)),
		"  ...\n+   - name: zero\n+     port: 79\n")
}

// Key order in a file is no difference (helm-diff#310 and others).
func TestShuffledKeysAreNoDifference(t *testing.T) {
	require.Empty(t, drawnUpdate(t, body(t, "{a: 1, b: {c: 2, d: 3}}"), body(t, "{b: {d: 3, c: 2}, a: 1}")))
}
