package printers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fatih/color"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

// Applications prints a list of applications as a table, of each message the first line.
func Applications(all *report.Applications, o Options) error {
	p := newPrinter(o)
	t := &table{header: []string{"NAMESPACE", "NAME", "PACKAGE", "VERSION", "INSTALLED", "STATE", "AGE", "MESSAGE"}}
	for _, a := range all.Items {
		t.add(cell{text: cleanCell(a.Namespace)}, cell{text: cleanCell(a.Name)}, cell{text: cleanCell(a.Package)}, cell{text: cleanCell(a.Version)},
			cell{text: cleanCell(a.Installed)}, p.state(a.State), cell{text: a.Age}, cell{text: cleanCell(headline(a.Message))})
	}
	if len(t.rows) == 0 {
		p.line("No applications.")
		return p.flush()
	}
	t.print(p)
	return p.flush()
}

// state is a cell with the state of an application.
func (p *printer) state(state string) cell {
	c := cell{text: cleanCell(state), color: p.paint.warn}
	switch state {
	case "Ready":
		c.color = p.paint.good
	case "Failed", "Degraded":
		c.color = p.paint.bad
	}
	return c
}

// PackageOverview prints one application on one screen.
func PackageOverview(v *report.Overview, o Options) error {
	p := newPrinter(o)
	state := p.state(v.State)
	p.line(painted(p.paint.header, cleanCell(v.Namespace+"."+v.Name)), "  ", painted(state.color, state.text))
	p.paragraph("message", v.Message)
	p.field("tip", v.Tip)
	p.field("package", versions(v))
	p.field("repository", v.Repository)
	p.field("maintenance", v.Maintenance)
	for _, u := range v.URLs {
		p.field("url", strings.TrimSpace(u.URL+"  "+u.Description))
	}
	for _, w := range v.Without {
		p.line("  ", painted(p.paint.warn, "not shown: "), cleanParagraph(w, "    "))
	}
	told := p.conditionTable(v.Conditions, v.Message)
	p.operations(v)
	if v.Unmet != "" {
		p.list("unmet requirement", []string{v.Unmet})
	}
	p.queueTable(v.Queue, told)
	p.hookTable(v)
	p.eventTable(v.Events)
	return p.flush()
}

func versions(v *report.Overview) string {
	text := v.Package + " " + v.Version
	switch v.Installed {
	case "":
		return text + " (not installed yet)"
	case v.Version:
		return text
	}
	return text + " (installed: " + v.Installed + ")"
}

// conditionTable prints conditions, and below them those of their messages that have
// several lines. told is what was printed above already; what is printed by now is
// returned.
func (p *printer) conditionTable(conditions []report.Condition, told string) string {
	var more []paragraph
	t := &table{header: []string{"CONDITION", "STATUS", "REASON", "SINCE", "MESSAGE"}}
	for _, c := range conditions {
		status := cell{text: cleanCell(c.Status), color: p.paint.good}
		if isIssue(c) {
			status.color = p.paint.bad
		}
		t.add(cell{text: cleanCell(c.Type)}, status, cell{text: cleanCell(c.Reason)}, cell{text: cleanCell(c.LastTransitionTime)}, cell{text: cleanCell(headline(c.Message))})
		more = append(more, paragraph{c.Type, c.Message})
	}
	p.below("", t)
	return p.rest(more, told)
}

// paragraph is a text with the name of what it is about.
type paragraph struct{ name, text string }

// rest prints texts of several lines of which a table had the first, unless they were
// told already, and returns all that is told by now.
func (p *printer) rest(texts []paragraph, told string) string {
	for _, t := range texts {
		if strings.Contains(t.text, "\n") && !strings.Contains(told, t.text) {
			p.line("  ", painted(p.paint.bad, cleanCell(t.name)+": "), cleanParagraph(t.text, "    "))
			told += "\n" + t.text
		}
	}
	return told
}

// below prints a table, if it has rows, below a title.
func (p *printer) below(title string, t *table) {
	if len(t.rows) == 0 {
		return
	}
	p.part()
	if title != "" {
		p.line(painted(p.paint.header, title))
	}
	t.print(p)
}

// operations prints what an apply is still at, or has failed at, as a tree.
func (p *printer) operations(v *report.Overview) {
	if !slices.ContainsFunc(v.Operations, isOpen) {
		return
	}
	p.part()
	p.line(painted(p.paint.header, fmt.Sprintf("apply: %d of %d done", v.Completed, v.Completed+v.Remaining)))
	p.operationNodes(v.Operations, "  ")
}

func (p *printer) operationNodes(nodes []report.OperationNode, indent string) {
	for _, n := range nodes {
		if !isOpen(n) {
			continue
		}
		if isFrame(n) {
			p.operationNodes(n.Below, indent)
			continue
		}
		line := fmt.Sprintf("%s (%s)", n.Object, n.Type)
		if len(n.WaitsFor) > 0 {
			line += ", waits for " + strings.Join(n.WaitsFor, ", ")
		}
		p.line(indent, painted(p.progress(n.Status), fmt.Sprintf("%-11s", cleanCell(n.Status))), " ", cleanCell(line))
		p.operationNodes(n.Below, indent+"  ")
	}
}

// isOpen tells whether an operation, or one behind it, has not been completed.
func isOpen(n report.OperationNode) bool {
	return n.Status != "Completed" || slices.ContainsFunc(n.Below, isOpen)
}

// isFrame tells an operation that is about the apply itself and not about an object.
func isFrame(n report.OperationNode) bool {
	return n.Category == "release" || n.Category == "meta" && n.Type == "stage"
}

func (p *printer) progress(status string) *color.Color {
	switch status {
	case "Completed":
		return p.paint.good
	case "Failed":
		return p.paint.bad
	case "Progressing":
		return p.paint.warn
	}
	return nil
}

// headline is the first line of a text.
func headline(text string) string {
	first, _, more := strings.Cut(text, "\n")
	if more {
		return first + " …"
	}
	return first
}

// hookTable prints the hooks with their last runs.
func (p *printer) hookTable(v *report.Overview) {
	t := &table{header: []string{"HOOK", "LAST RUN", "BECAUSE OF", "TOOK", "RUNS", "FAILED", "ERROR"}}
	for _, name := range v.Hooks {
		run, ran := v.LastRuns[name]
		if !ran {
			t.add(cell{text: cleanCell(name)}, cell{text: "-"}, cell{text: "-"}, cell{text: "-"}, cell{text: "0"}, cell{text: "0"}, cell{text: "-"})
			continue
		}
		problem := cell{text: "-"}
		if run.Error != "" {
			problem = cell{text: cleanCell(headline(run.Error)), color: p.paint.bad}
		}
		t.add(cell{text: cleanCell(name)}, cell{text: cleanCell(run.Began)}, cell{text: cleanCell(run.Why)}, cell{text: cleanCell(run.Took)},
			cell{text: strconv.Itoa(run.Runs)}, cell{text: strconv.Itoa(run.Failures)}, problem)
	}
	p.below("", t)
}

// queueTable prints tasks; told is what was printed above already. Only one that
// failed has a next try.
func (p *printer) queueTable(tasks []report.QueuedTask, told string) {
	t := &table{header: []string{"QUEUE", "TASK", "SINCE", "NEXT TRY", "ERROR"}}
	var more []paragraph
	for _, task := range tasks {
		try := task.NextRetry
		if task.Error == "" {
			try = ""
		} else if task.Attempts > 0 {
			try += fmt.Sprintf(" (failed %d×)", task.Attempts)
		}
		t.add(cell{text: cleanCell(task.Queue)}, cell{text: cleanCell(task.Name)}, cell{text: cleanCell(task.Enqueued)},
			cell{text: cleanCell(try)}, cell{text: cleanCell(headline(task.Error)), color: p.paint.bad})
		more = append(more, paragraph{task.Name, task.Error})
	}
	p.below("queue", t)
	p.rest(more, told)
}

func (p *printer) eventTable(events []report.EventLine) {
	t := &table{header: []string{"LAST", "TYPE", "REASON", "OBJECT", "MESSAGE"}}
	for _, e := range events {
		kind := cell{text: cleanCell(e.Type)}
		if e.Type == "Warning" {
			kind.color = p.paint.warn
		}
		t.add(cell{text: cleanCell(e.Last)}, kind, cell{text: cleanCell(e.Reason)}, cell{text: cleanCell(e.Object)}, cell{text: cleanCell(e.Message)})
	}
	p.below("events", t)
}

// PackageEvents prints events about an application, the last at the end.
func PackageEvents(events []report.EventLine, o Options) error {
	p := newPrinter(o)
	if len(events) == 0 {
		p.line("No events.")
	}
	p.eventTable(events)
	return p.flush()
}

// PackageExplanation prints at which step an application stands and what to do.
func PackageExplanation(e *report.Explanation, o Options) error {
	p := newPrinter(o)
	state := p.state(e.State)
	p.line(painted(p.paint.header, cleanCell(e.Name)), "  ", painted(state.color, state.text))
	for _, s := range e.Steps {
		mark, paint := "·", p.paint.comment
		switch s.State {
		case "done":
			mark, paint = "✓", p.paint.good
		case "failed":
			mark, paint = "✗", p.paint.bad
		case "underway":
			mark, paint = "…", p.paint.warn
		}
		p.line("  ", painted(paint, mark+" "+cleanCell(s.Name)), "  ", s.State)
	}
	if e.Why != "" {
		p.line("Why:  ", cleanParagraph(e.Why, "      "))
	}
	p.line("Next: ", cleanParagraph(e.Next, "      "))
	return p.flush()
}
