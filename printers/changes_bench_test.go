package printers

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// largeUpdate is the budget's object: 20,000 changed lines, with some drift to
// annotate.
func largeUpdate(every int) plan.ObjectReport {
	side := func(changed bool) map[string]any {
		data := map[string]any{}
		for i := range 20000 {
			value := fmt.Sprint("value ", i%97)
			if changed && i%every == 0 {
				value += " changed"
			}
			data[fmt.Sprintf("key%05d", i)] = value
		}
		return map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": data}
	}
	o := plan.ObjectReport{APIVersion: "v1", Kind: "ConfigMap", Name: "large", Op: plan.OpUpdate, Before: side(false), After: side(true)}
	for i := 0; i < 20000; i += 1000 {
		o.Differences = append(o.Differences, plan.Difference{
			Path: fmt.Sprintf(".data.key%05d", i), Verdict: plan.VerdictDrift, HasLive: true, HasDesired: true,
			Authors: []plan.Author{author("kubectl-edit")},
		})
	}
	return o
}

// BenchmarkChanges is the budget "text diff of 20,000 lines": ≤ 0.3 s, ≤ 100 MiB.
func BenchmarkChanges(b *testing.B) {
	for name, every := range map[string]int{"20000 changed lines": 1, "2000 changed of 20000 lines": 10} {
		r := &plan.Report{Objects: []plan.ObjectReport{largeUpdate(every)}}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := Changes(r, DefaultOptions(io.Discard)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestLargeUpdateIsAnnotated(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Changes(&plan.Report{Objects: []plan.ObjectReport{largeUpdate(10)}}, testOptions(&out)))
	require.Equal(t, 20, strings.Count(out.String(), "# drift: changed by kubectl-edit"))
	require.Equal(t, 2000, strings.Count(out.String(), " changed\n"))
	require.NotContains(t, out.String(), "\n  #", "every comment found its line")
}
