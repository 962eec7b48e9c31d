package main

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
)

// row is one piece of work with its budgets; a budget of 0 is none.
type row struct {
	work          string
	got, other    outcome
	otherName     string
	requestBudget int
	secondsBudget float64
	memoryBudget  float64
	// ratioBudget bounds our time divided by the other's.
	ratioBudget float64
	noWrites    bool
}

type table struct{ rows []row }

func (t *table) add(r row) { t.rows = append(t.rows, r) }

func (t *table) print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "work\tseconds\tCPU s\tMiB\trequests\twrites\tagainst\tits seconds\tratio\tbudgets")
	for _, r := range t.rows {
		fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%.0f\t%s\t%s\t%s\t%s\t%s\t%s\n", r.work, r.got.seconds, r.got.cpu, r.got.mebibyte,
			number(r.got.requests), number(r.got.writes), dash(r.otherName), r.otherSeconds(), r.ratio(), r.budgets())
	}
	_ = w.Flush() // stdout
}

func number(n int) string {
	if n < 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func (r row) otherSeconds() string {
	if r.otherName == "" {
		return "-"
	}
	return fmt.Sprintf("%.2f", r.other.seconds)
}

func (r row) ratio() string {
	if r.otherName == "" {
		return "-"
	}
	return fmt.Sprintf("1/%.1f", r.other.seconds/r.got.seconds)
}

// budgets says for each budget whether it is kept.
func (r row) budgets() string {
	text := ""
	note := func(kept bool, format string, args ...any) {
		mark := "ok"
		if !kept {
			mark = "OVER"
		}
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf(format, args...) + " " + mark
	}
	if r.requestBudget > 0 {
		note(r.got.requests <= r.requestBudget, "≤ %d requests", r.requestBudget)
	}
	if r.noWrites {
		note(r.got.writes == 0, "no writes")
	}
	if r.secondsBudget > 0 {
		note(r.got.seconds <= r.secondsBudget, "≤ %g s", r.secondsBudget)
	}
	if r.memoryBudget > 0 {
		note(r.got.mebibyte <= r.memoryBudget, "≤ %.0f MiB", r.memoryBudget)
	}
	if r.ratioBudget > 0 && r.otherName != "" {
		note(r.got.seconds <= r.other.seconds*r.ratioBudget, "≤ 1/%.0f of it", 1/r.ratioBudget)
	}
	return dash(text)
}

// verdict is an error where a count is over its budget: counts are no noise.
func (t *table) verdict() error {
	var all []error
	for _, r := range t.rows {
		if r.requestBudget > 0 && r.got.requests > r.requestBudget {
			all = append(all, fmt.Errorf("%s: %d requests, budget %d", r.work, r.got.requests, r.requestBudget))
		}
		if r.noWrites && r.got.writes != 0 {
			all = append(all, fmt.Errorf("%s: %d write requests", r.work, r.got.writes))
		}
	}
	return errors.Join(all...)
}
