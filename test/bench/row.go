package main

import "fmt"

// line is what one program cost for the work of a row.
type line struct {
	program string
	outcome
	// instead says why there are no figures.
	instead string
}

// budget is a bound that our program has to keep.
type budget struct {
	text string
	kept bool
	// count: not a matter of the machine.
	count bool
}

// row is one piece of work: our program first, then others that did the same.
type row struct {
	work    string
	lines   []line
	budgets []budget
}

func newRow(work string, ours outcome) *row {
	return &row{work: work, lines: []line{{program: "kubectl tazuna", outcome: ours}}}
}

func (r *row) ours() outcome { return r.lines[0].outcome }

// against adds what another program cost; its time has to be at least least times ours,
// 0 is no budget.
func (r *row) against(other line, least float64) {
	r.lines = append(r.lines, other)
	if least > 0 && other.instead == "" {
		bound := fmt.Sprintf("≤ 1/%g of %s", least, other.program)
		if least == 1 {
			bound = "≤ " + other.program
		}
		r.note(r.ours().seconds*least <= other.seconds, false, "%s", bound)
	}
}

func (r *row) note(kept, count bool, format string, args ...any) {
	r.budgets = append(r.budgets, budget{text: fmt.Sprintf(format, args...), kept: kept, count: count})
}

func (r *row) requests(most int) { r.note(r.ours().requests <= most, true, "≤ %d requests", most) }
func (r *row) noWrites()         { r.note(r.ours().writes == 0, true, "no writes") }
func (r *row) seconds(most float64) {
	r.note(r.ours().seconds <= most, false, "≤ %g s", most)
}

func (r *row) memory(most float64) { r.note(r.ours().mebibyte <= most, false, "≤ %g MiB", most) }
