package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

type table struct{ rows []*row }

func (t *table) add(r *row) { t.rows = append(t.rows, r) }

// print has a line a program, ours with the budgets.
func (t *table) print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "WORK\tPROGRAM\tSECONDS\tCPU S\tMIB\tREQUESTS\tWRITES\tTOOK\tBUDGETS")
	for _, r := range t.rows {
		for i, l := range r.lines {
			work, took, budgets := r.work, "", r.marked()
			if i > 0 {
				work, budgets = "", ""
				took = times(l.seconds, r.ours().seconds)
			}
			if l.instead != "" {
				fmt.Fprintf(w, "%s\t%s\t%s\n", work, l.program, l.instead)
				continue
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%.0f\t%s\t%s\t%s\t%s\n", work, l.program, figure(l.seconds), figure(l.cpu), l.mebibyte,
				number(l.requests), number(l.writes), took, budgets)
		}
	}
	_ = w.Flush() // stdout
}

// times is how many times as long the other program took.
func times(other, ours float64) string {
	switch ratio := other / ours; {
	case ours < 0:
		return ""
	case ratio >= 10:
		return fmt.Sprintf("%.0f×", ratio)
	default:
		return fmt.Sprintf("%.1f×", ratio)
	}
}

// figure is a time; less than nothing is none.
func figure(seconds float64) string {
	if seconds < 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", seconds)
}

func number(n int) string {
	if n < 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// marked says for each budget whether it is kept.
func (r *row) marked() string {
	var all []string
	for _, b := range r.budgets {
		mark := "ok"
		if !b.kept {
			mark = "OVER"
		}
		all = append(all, b.text+" "+mark)
	}
	return strings.Join(all, ", ")
}

// verdict is an error where a budget is exceeded; countsOnly leaves out those that
// depend on the machine.
func (t *table) verdict(countsOnly bool) error {
	var all []error
	for _, r := range t.rows {
		for _, b := range r.budgets {
			if !b.kept && (b.count || !countsOnly) {
				got := r.ours()
				all = append(all, fmt.Errorf("over budget: %s: %s, found %.2f s, %.0f MiB, %s requests, %s writes",
					r.work, b.text, got.seconds, got.mebibyte, number(got.requests), number(got.writes)))
			}
		}
	}
	return errors.Join(all...)
}
