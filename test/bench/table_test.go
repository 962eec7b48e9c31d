package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func measured(seconds, mebibyte float64, requests, writes int) outcome {
	return outcome{seconds: seconds, cpu: seconds / 2, mebibyte: mebibyte, requests: requests, writes: writes}
}

// A budget that is exceeded is an error that says which and by how much.
func TestVerdict(t *testing.T) {
	tests := map[string]struct {
		budget func(r *row)
		counts string // with -counts
		all    string
	}{
		"kept":            {budget: func(r *row) { r.requests(10); r.noWrites(); r.seconds(2); r.memory(100) }},
		"requests":        {func(r *row) { r.requests(9) }, "≤ 9 requests, found 2.00 s, 100 MiB, 10 requests, 0 writes", "≤ 9 requests"},
		"seconds":         {func(r *row) { r.seconds(1.5) }, "", "≤ 1.5 s"},
		"memory":          {func(r *row) { r.memory(99) }, "", "≤ 99 MiB"},
		"a rival":         {func(r *row) { r.against(line{program: "kubectl", outcome: measured(7, 1, 1, 1)}, 4) }, "", "≤ 1/4 of kubectl"},
		"a slower rival":  {budget: func(r *row) { r.against(line{program: "kubectl", outcome: measured(8, 1, 1, 1)}, 4) }},
		"no budget":       {budget: func(r *row) { r.against(line{program: "kubectl", outcome: measured(1, 1, 1, 1)}, 0) }},
		"a rival's fault": {budget: func(r *row) { r.against(line{program: "helm", instead: "can't"}, 1) }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRow("work", measured(2, 100, 10, 0))
			tt.budget(r)
			var all table
			all.add(r)
			for countsOnly, want := range map[bool]string{true: tt.counts, false: tt.all} {
				err := all.verdict(countsOnly)
				if want == "" {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, want)
				}
			}
		})
	}
	writing := newRow("work", measured(1, 1, 1, 1))
	writing.noWrites()
	require.ErrorContains(t, (&table{rows: []*row{writing}}).verdict(true), "no writes")
}

func TestPrint(t *testing.T) {
	r := newRow("first install of 10", measured(2, 100, 10, 3))
	r.requests(9)
	r.against(line{program: "kubectl apply", outcome: measured(5, 50, 20, 10)}, 2)
	r.against(line{program: "helm install", instead: "the release does not fit"}, 1)
	size := newRow("size", outcome{seconds: -1, cpu: -1, mebibyte: 60, requests: -1, writes: -1})
	var out strings.Builder
	(&table{rows: []*row{r, size}}).print(&out)
	var got []string
	for line := range strings.Lines(out.String()) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	assert.Equal(t, []string{
		"WORK PROGRAM SECONDS CPU S MIB REQUESTS WRITES TOOK BUDGETS",
		"first install of 10 kubectl tazuna 2.00 1.00 100 10 3 ≤ 9 requests OVER, ≤ 1/2 of kubectl apply ok",
		"kubectl apply 5.00 2.50 50 20 10 2.5×",
		"helm install the release does not fit",
		"size kubectl tazuna - - 60 - -",
	}, got)
}

// What the other programs can't do is said in the table, in few words.
func TestReason(t *testing.T) {
	for text, want := range map[string]string{
		"helm install: exit status 1: level=WARN\nError: INSTALLATION FAILED: create: failed to create: Secret \"sh.helm.release.v1.bench.v1\" is invalid: data: Too long: may not be more than 1048576 bytes": "the release does not fit: Too long: may not be more than 1048576 bytes",
		"helm install: exit status 1: Error: Request entity too large: limit is 3145728":                                                                                                                       "the release does not fit: Request entity too large: limit is 3145728",
		"helm upgrade: exit status 1: one\nError: context deadline exceeded":                                                                                                                                   "Error: context deadline exceeded",
	} {
		assert.Equal(t, want, strings.Join(strings.Fields(reason(saidError(text))), " "))
	}
}

type saidError string

func (e saidError) Error() string { return string(e) }
