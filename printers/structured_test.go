package printers

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

func structured(t *testing.T, format string, result any) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, Structured(&out, format, result))
	return out.String()
}

func TestStructuredGolden(t *testing.T) {
	r := &plan.Report{
		APIVersion: plan.APIVersion, Kind: plan.ReportKind, Context: "kind",
		Objects: []plan.ObjectReport{simpleService(t), refusedDeployment()},
		Summary: plan.Summary{Update: 1, Refused: 1},
	}
	for _, format := range []string{"json", "yaml", "kyaml"} {
		golden(t, "structured-"+format, []byte(structured(t, format, r)))
	}
}

// What is printed reads back as the same Report: scripts and saved plans rely on it.
func TestStructuredReadsBack(t *testing.T) {
	r := sampleReport(t)
	for format, decode := range map[string]func([]byte, any) error{
		"json": json.Unmarshal,
		"yaml": func(data []byte, v any) error { return yaml.Unmarshal(data, v) },
	} {
		var back plan.Report
		require.NoError(t, decode([]byte(structured(t, format, r)), &back), format)
		want, err := json.Marshal(r)
		require.NoError(t, err)
		got, err := json.Marshal(back)
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(got), format)
	}
}

func TestStructuredIsStable(t *testing.T) {
	for _, format := range []string{"json", "yaml", "kyaml", "name", "jsonpath={.objects[*].name}"} {
		first := structured(t, format, sampleReport(t))
		for range 5 {
			require.Equal(t, first, structured(t, format, sampleReport(t)))
		}
		require.NotContains(t, first, "\x1b", "machine formats never have colour")
	}
}

func TestStructuredKeepsNumbers(t *testing.T) {
	data, err := object.DecodeJSON([]byte(`{"big":9007199254740993,"huge":123456789012345678901234567890,"price":1.10}`))
	require.NoError(t, err)
	r := &plan.Report{APIVersion: plan.APIVersion, Kind: plan.ReportKind, Objects: []plan.ObjectReport{{
		APIVersion: "v1", Kind: "X", Name: "x", Op: plan.OpCreate, After: data,
	}}}
	for _, format := range []string{"json", "jsonpath={.objects[0].after}"} {
		got := structured(t, format, r)
		require.Contains(t, got, "9007199254740993", format)
		require.Contains(t, got, "123456789012345678901234567890", format)
		require.Contains(t, got, "1.10", format)
	}
}

func TestStructuredReportWithoutObjects(t *testing.T) {
	got := structured(t, "json", &plan.Report{APIVersion: plan.APIVersion, Kind: plan.ReportKind})
	require.Contains(t, got, `"objects": [],`, "a list is never null")
}

func TestStructuredNames(t *testing.T) {
	require.Equal(t, strings.Join([]string{
		"service/simple-app", "configmap/simple-app", "deployment.apps/web",
		"clusterrole.rbac.authorization.k8s.io/old", "deployment.apps/scaled", "configmap/adopted", "job.batch/once",
		"job.batch/migrate", "persistentvolumeclaim/data", "configmap/broken",
	}, "\n")+"\n", structured(t, "name", sampleReport(t)), "only objects with an operation")
	require.Empty(t, structured(t, "name", &plan.Report{}))
}

func TestStructuredTemplates(t *testing.T) {
	r := sampleReport(t)
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	tests := map[string]string{
		"jsonpath={.summary.create}":                       "1",
		"jsonpath={.objects[?(@.op=='delete')].name}":      "old",
		"jsonpath={.nothing}":                              "",
		"jsonpath-as-json={.context}":                      "[\n    \"kind\"\n]\n",
		"jsonpath-file=" + file("path", "{.kind}"):         "Plan",
		"go-template={{.kind}} {{len .objects}}":           "Plan 11",
		"template={{.context}}":                            "kind",
		"go-template-file=" + file("tmpl", "{{.context}}"): "kind",
		"templatefile=" + file("tmpl2", "{{.server}}"):     "https://127.0.0.1:6443",
	}
	for format, want := range tests {
		require.Equal(t, want, structured(t, format, r), format)
	}
}

func TestStructuredErrors(t *testing.T) {
	tests := map[string]string{
		"xml":                           `wanted one of json, yaml`,
		"wide":                          `found "wide"`,
		"jsonpath":                      "wanted jsonpath=TEMPLATE, found no template",
		"go-template=":                  "found no template",
		"jsonpath={.a":                  "-o jsonpath: unclosed action",
		"go-template={{":                "-o go-template: template: output:1",
		"jsonpath-file=/does/not/exist": "-o jsonpath-file: open /does/not/exist",
	}
	for format, want := range tests {
		var out bytes.Buffer
		err := Structured(&out, format, sampleReport(t))
		require.ErrorContains(t, err, want, format)
		require.Empty(t, out.String(), "%s: nothing is written before an error", format)
	}
	var out bytes.Buffer
	require.ErrorContains(t, Structured(&out, "name", 1), "-o name can't print a int")
	require.ErrorContains(t, Structured(&out, "json", math.Inf(1)), "encode float64")
	require.ErrorContains(t, Structured(&out, "yaml", []int{1}), "encode []int")
}

func TestEncodeJSONEscapesWhatATerminalWouldObey(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, encodeJSON(&out, map[string]any{"a<": "\x1b\x7f\u009b\u202e é 値 \U000e0041 &"}, ""))
	require.Contains(t, out.String(), `"a<":"\u001b\u007f\u009b\u202e é 値 \udb40\udc41 &"`)
	var back map[string]string
	require.NoError(t, json.Unmarshal(out.Bytes(), &back))
	require.Equal(t, "\x1b\x7f\u009b\u202e é 値 \U000e0041 &", back["a<"], "the value is the same")
	require.ErrorIs(t, encodeJSON(brokenWriter{os.ErrClosed}, 1, ""), os.ErrClosed)
}

func FuzzEncodeJSON(f *testing.F) {
	f.Add("\x1b\u202e\U000e0041")
	f.Fuzz(func(t *testing.T, s string) {
		var out bytes.Buffer
		require.NoError(t, encodeJSON(&out, s, ""))
		harmless(t, out.String())
		var back string
		require.NoError(t, json.Unmarshal(out.Bytes(), &back))
		require.Equal(t, strings.ToValidUTF8(s, "\ufffd"), collapse(back, s))
	})
}

// collapse lets runs of replaced bytes differ in number: encoding/json writes one
// replacement character a byte, strings.ToValidUTF8 one a run.
func collapse(back, s string) string {
	if strings.ToValidUTF8(s, "\ufffd") == s {
		return back
	}
	return strings.ToValidUTF8(s, "\ufffd")
}
