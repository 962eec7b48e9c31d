package printers

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// PackageHooks prints the hooks of a package as a table with a row for each binding,
// and what under hooks/ is none.
func PackageHooks(l *report.HookList, o Options) error {
	p := newPrinter(o)
	t := &table{header: []string{"Hook", "Type", "Binding", "Name", "Order", "Queue", "When and what"}}
	for _, h := range l.Hooks {
		for _, b := range h.Bindings {
			order := ""
			if b.Order != nil {
				order = strconv.FormatInt(*b.Order, 10)
			}
			t.add(cell{text: cleanCell(h.ID)}, cell{text: cleanCell(h.Type)}, cell{text: cleanCell(b.Type)},
				cell{text: cleanCell(b.Name)}, cell{text: order}, cell{text: cleanCell(b.Queue)}, cell{text: cleanCell(whenAndWhat(h, b))})
		}
	}
	t.ditto()
	if len(t.rows) > 0 {
		t.print(p)
	}
	for _, file := range l.Checks {
		p.line(cleanCell(file), " judges settings")
	}
	for _, id := range l.Ready {
		p.line(cleanCell(id), " tells whether the instance is ready")
	}
	for _, s := range l.Skipped {
		p.line(painted(p.paint.comment, "# "+cleanCell(s.File)+" is no hook: "+cleanCell(s.Reason)))
	}
	if len(l.Hooks)+len(l.Checks)+len(l.Ready) == 0 {
		p.line("No hooks.")
	}
	return p.flush()
}

// whenAndWhat sums up a binding in a line.
func whenAndWhat(h report.Hook, b report.Binding) string {
	var parts []string
	if b.Crontab != "" {
		parts = append(parts, b.Crontab)
	}
	if b.Objects != "" {
		parts = append(parts, b.Objects)
	}
	if len(b.Events) > 0 {
		parts = append(parts, "on "+strings.Join(b.Events, "/"))
	}
	if b.Resynchronization != "" {
		parts = append(parts, "again each "+b.Resynchronization)
	}
	if h.MinInterval != "" && (b.Crontab != "" || b.Objects != "") {
		parts = append(parts, fmt.Sprintf("at most %d each %s", h.Burst, h.MinInterval))
	}
	return strings.Join(parts, "; ")
}

// PackageHookRuns prints, for each run of a hook, what it did: the diff of values and
// of each object, metrics, what it wrote, and why it failed.
func PackageHookRuns(r *report.HookRuns, o Options) error {
	p := newPrinter(o)
	for _, run := range r.Runs {
		p.part()
		if err := p.hookRun(run); err != nil {
			return fmt.Errorf("print the run of %s: %w", run.Hook, err)
		}
	}
	for _, id := range r.NotRun {
		p.part()
		p.line(painted(p.paint.warn, "Not run: "), cleanCell(id))
	}
	if len(r.Runs) == 0 {
		p.line("No hook runs.")
	}
	for _, ready := range r.Ready {
		p.part()
		p.line(p.readiness(ready))
	}
	return p.flush()
}

func (p *printer) hookRun(run report.HookRun) error {
	p.line(painted(p.paint.header, "Hook "+cleanCell(run.Hook)), " (", cleanCell(run.Binding), ")")
	p.written("out", run.Stdout)
	p.written("err", run.Stderr)
	if run.ChangedValues() {
		if err := p.bodies("@@ values @@", run.ValuesBefore, run.ValuesAfter); err != nil {
			return err
		}
	}
	for _, change := range run.Objects {
		what := title(change.Kind, change.Name, change.APIVersion, change.Namespace)
		if err := p.bodies("@@ "+cleanCell(change.Operation)+" "+what+" @@", change.Before, change.After); err != nil {
			return err
		}
	}
	for _, m := range run.Metrics {
		p.line("  metric ", cleanCell(metricText(m)))
	}
	for _, note := range run.Notes {
		p.note(cleanParagraph(note, "    "))
	}
	switch {
	case run.Error != "" && run.Allowed:
		p.line("  ", painted(p.paint.warn, "failed, as it may: "), cleanParagraph(run.Error, "    "))
	case run.Error != "":
		p.line("  ", painted(p.paint.bad, "failed: "), cleanParagraph(run.Error, "    "))
	case !run.ChangedValues() && len(run.Objects) == 0 && len(run.Metrics) == 0:
		p.note("changes nothing")
	}
	return nil
}

func (p *printer) readiness(r report.Readiness) string {
	if r.Ready {
		return cleanCell(r.Hook) + ": " + painted(p.paint.good, "ready")
	}
	return cleanCell(r.Hook) + ": " + painted(p.paint.warn, "not ready: ") + cleanParagraph(r.Message, "    ")
}

// written prints what a hook wrote to a stream, behind a gutter.
func (p *printer) written(stream, text string) {
	if text = strings.TrimRight(text, "\n"); text != "" {
		p.line("  ", stream, "| ", cleanParagraph(text, "  "+stream+"| "))
	}
}

// bodies prints a heading and the diff of two bodies.
func (p *printer) bodies(heading string, before, after map[string]any) error {
	p.line(painted(p.paint.header, heading))
	was, is, err := encodePair(plan.ObjectReport{Before: before, After: after})
	if err != nil {
		return err
	}
	rs := rows(was.lines, is.lines, diffLines(was.lines, is.lines), p.o.Context)
	markChanges(rs)
	for _, r := range rs {
		p.row(r)
	}
	if len(rs) == 0 {
		p.note("nothing changes")
	}
	return nil
}

// metricText is NAME{LABEL="VALUE"} ACTION VALUE.
func metricText(m report.Metric) string {
	labels := make([]string, 0, len(m.Labels))
	for _, key := range slices.Sorted(maps.Keys(m.Labels)) {
		labels = append(labels, fmt.Sprintf("%s=%q", key, m.Labels[key]))
	}
	text := m.Name
	if len(labels) > 0 {
		text += "{" + strings.Join(labels, ",") + "}"
	}
	if m.Action == "expire" {
		return "expire group " + m.Group
	}
	text += " " + m.Action + " " + strconv.FormatFloat(m.Value, 'g', -1, 64)
	if m.Group != "" {
		text += " (group " + m.Group + ")"
	}
	return text
}
