package printers

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

// PackageInstances prints the applications of a controller as a table.
func PackageInstances(all *report.Instances, o Options) error {
	p := newPrinter(o)
	t := &table{header: []string{"KIND", "NAME", "VERSION", "RUNNING", "ISSUES"}}
	for _, name := range slices.Sorted(maps.Keys(all.Apps)) {
		i := all.Apps[name]
		wrong := cell{text: cleanCell(strings.Join(issues(i), ", "))}
		if wrong.text != "" {
			wrong.color = p.paint.bad
		}
		t.add(cell{text: "Application"}, cell{text: cleanCell(name)}, cell{text: cleanCell(i.Definition.Version)},
			cell{text: strconv.FormatBool(i.Running)}, wrong)
	}
	if len(t.rows) == 0 {
		p.line("No applications.")
		return p.flush()
	}
	t.print(p)
	return p.flush()
}

// issues are the conditions that aren't as they should be.
func issues(i report.Instance) []string {
	var all []string
	for _, c := range i.Status.Conditions {
		if isIssue(c) {
			all = append(all, conditionText(c))
		}
	}
	return all
}

// isIssue tells whether a condition is abnormal: MaintenanceMode and Pending are that
// when they are True, all others when they aren't.
func isIssue(c report.Condition) bool {
	if c.Type == "MaintenanceMode" || c.Type == "Pending" {
		return c.Status == "True"
	}
	return c.Status != "True"
}

func conditionText(c report.Condition) string {
	text := c.Type + "=" + c.Status
	if c.Reason != "" && c.Reason != c.Type {
		text += " (" + c.Reason + ")"
	}
	return text
}

// PackageInstance prints all that a controller knows of one application.
func PackageInstance(i *report.Instance, o Options) error {
	p := newPrinter(o)
	p.line(painted(p.paint.header, cleanCell(i.Namespace+"."+i.Name)))
	p.field("package", fmt.Sprintf("%s %s", i.Definition.Name, i.Definition.Version))
	p.field("running", strconv.FormatBool(i.Running))
	p.field("path", i.Path)
	p.field("repository", strings.TrimSpace(i.Repository.Name+" "+i.Repository.Repository))
	for _, u := range i.Status.URLs {
		p.field("url", strings.TrimSpace(u.URL+"  "+u.Description))
	}
	p.conditionTable(i.Status.Conditions, "")
	p.list("hooks", i.Hooks)
	p.list("images", digestLines(i.Digests))
	for _, part := range []struct {
		title string
		value any
	}{
		{"settings", i.Status.Settings},
		{"values", i.Values},
		{"tracking", i.Status.Tracking},
	} {
		if err := p.yamlPart(part.title, part.value); err != nil {
			return fmt.Errorf("print %s: %w", part.title, err)
		}
	}
	return p.flush()
}

func digestLines(digests map[string]string) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(digests)) {
		lines = append(lines, name+": "+digests[name])
	}
	return lines
}

func (p *printer) field(name, value string) {
	if value != "" {
		p.line(fmt.Sprintf("  %-13s", name+":"), cleanCell(value))
	}
}

// paragraph is a field whose value may have several lines.
func (p *printer) paragraph(name, value string) {
	if value != "" {
		p.line(fmt.Sprintf("  %-13s", name+":"), cleanParagraph(value, strings.Repeat(" ", 15)))
	}
}

func (p *printer) list(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	p.part()
	p.line(painted(p.paint.header, title))
	for _, line := range lines {
		p.line("  ", cleanCell(line))
	}
}

// yamlPart prints a mapping below a title; nothing if there is none.
func (p *printer) yamlPart(title string, value any) error {
	body, ok := value.(map[string]any)
	if !ok || len(body) == 0 {
		return nil
	}
	text, err := object.EncodeYAML(body)
	if err != nil {
		return err
	}
	p.list(title, strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"))
	return nil
}
