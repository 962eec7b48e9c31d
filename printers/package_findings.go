package printers

import (
	"fmt"

	"github.com/fatih/color"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

// PackageFindings prints what is wrong with a package: a line for each finding, as
// FILE:LINE: SEVERITY: TEXT (RULE), and their number.
func PackageFindings(f *report.Findings, o Options) error {
	p := newPrinter(o)
	for _, item := range f.Items {
		place := item.Place()
		if place == "" {
			place = "package.yaml"
		}
		p.line(cleanCell(place), ": ", painted(p.severity(item.Severity), cleanCell(string(item.Severity))), ": ",
			cleanParagraph(item.Text, "    "), " ", painted(p.paint.comment, "("+cleanCell(item.Rule)+")"))
	}
	if len(f.Items) == 0 {
		p.line(cleanCell(f.Package), ": nothing found")
	} else {
		p.line(cleanCell(f.Package), ": ", counted(f.Errors, "error"), ", ", counted(f.Warnings, "warning"))
	}
	return p.flush()
}

func (p *printer) severity(s report.Severity) *color.Color {
	if s == report.Error {
		return p.paint.bad
	}
	return p.paint.warn
}

// counted is a number with its noun: "1 error", "2 errors".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
