package printers

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

var colorSequence = regexp.MustCompile("\x1b\\[[0-9;]*m")

func stripColor(s string) string { return colorSequence.ReplaceAllString(s, "") }

func TestReportGolden(t *testing.T) {
	r := sampleReport(t)
	goldenPlainAndColored(t, "report", func(o Options) error { return Report(r, o) })
	goldenPlainAndColored(t, "report-ignored", func(o Options) error {
		o.ShowIgnored, o.LineNumbers, o.Context = true, false, 0
		return Report(r, o)
	})
}

func TestReportOfNothing(t *testing.T) {
	r := &plan.Report{Objects: []plan.ObjectReport{{
		APIVersion: "v1", Kind: "ConfigMap", Name: "same",
		Before: body(t, "a: 1"), After: body(t, "a: 1"),
	}}}
	var out bytes.Buffer
	require.NoError(t, Changes(r, testOptions(&out)))
	require.Empty(t, out.String(), "equal bodies print nothing")

	require.NoError(t, Report(r, testOptions(&out)))
	golden(t, "report-nothing", out.Bytes()) // kapp's empty table
}

func TestReportWithoutTable(t *testing.T) {
	var out bytes.Buffer
	o := testOptions(&out)
	o.Summary = false
	require.NoError(t, Report(sampleReport(t), o))
	require.NotContains(t, out.String(), "Wait to:")
	require.Contains(t, out.String(), "left over: configmap/gone (v1) namespace: shop", "notes are told either way")
}

func TestSummaryAlone(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Summary(sampleReport(t), testOptions(&out)))
	require.True(t, strings.HasPrefix(out.String(), "Changes\n"))
	require.NotContains(t, out.String(), "@@")
	require.Contains(t, out.String(), "left over:")
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestReportKeepsTheWritersError(t *testing.T) {
	broken := errors.New("broken pipe")
	o := testOptions(nil)
	o.Out = brokenWriter{broken}
	require.ErrorIs(t, Report(sampleReport(t), o), broken, "the command decides that EPIPE is no error")
	o.Out = nil
	require.NoError(t, Report(sampleReport(t), o), "no writer discards")
}

func TestZeroOptions(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Report(&plan.Report{Objects: []plan.ObjectReport{simpleService(t)}}, Options{Out: &out}))
	require.Equal(t, "@@ update service/simple-app (v1) namespace: default @@\n"+
		"  ...\n-     targetPort: 80\n+     targetPort: 81\n", out.String())
}
