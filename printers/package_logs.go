package printers

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

// controllerSource is who says a line that is the controller's own.
const controllerSource = "controller"

// PackageLogs prints lines of a log: time, level, who says it where it isn't the
// controller, message and fields. What has several lines stands below.
func PackageLogs(lines []report.LogLine, o Options) error {
	p := newPrinter(o)
	for _, l := range lines {
		p.logLine(l)
	}
	return p.flush()
}

func (p *printer) logLine(l report.LogLine) {
	var head, text, below strings.Builder
	if l.Time != "" {
		head.WriteString(cleanCell(l.Time) + " ")
	}
	level := ""
	if l.Level != "" {
		level = fmt.Sprintf("%-5s ", cleanCell(l.Level))
	}
	if l.Source != controllerSource {
		text.WriteString(cleanCell(l.Source) + ": ")
	}
	text.WriteString(cleanParagraph(l.Message, "  "))
	for _, f := range l.Fields {
		if strings.Contains(f.Value, "\n") {
			below.WriteString("\n  " + cleanCell(f.Key) + ": " + cleanParagraph(f.Value, "    "))
			continue
		}
		text.WriteString(" " + cleanCell(f.Key) + "=" + logValue(f.Value))
	}
	color := p.paint.warn
	if l.Level == "ERROR" {
		color = p.paint.bad
	}
	if l.Level == "" || l.Level == "INFO" || l.Level == "DEBUG" {
		color = nil
	}
	p.line(head.String(), painted(color, level), text.String()+below.String())
}

// logValue quotes a value that would run into what comes next.
func logValue(text string) string {
	if text == "" || strings.ContainsAny(text, " =\"\t") {
		return strconv.Quote(text)
	}
	return cleanCell(text)
}
