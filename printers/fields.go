package printers

import (
	"fmt"

	"github.com/fatih/color"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// Fields prints a plan as one line a path: verdict, path, live and wanted value,
// and who is behind it. The table and the notes follow as in Report.
func Fields(r *plan.Report, o Options) error {
	p := newPrinter(o)
	for _, obj := range r.Objects {
		hidden := o.ShowIgnored && len(obj.Hidden) > 0
		if obj.Op == plan.OpNone && !hidden {
			continue
		}
		p.heading(headingWord(obj), obj)
		p.reason(obj.Reason)
		for _, d := range obj.Differences {
			p.fieldLine(d)
		}
		p.explained(obj)
		if hidden {
			for _, d := range obj.Hidden {
				p.fieldLine(d)
			}
		}
	}
	if o.Summary {
		p.summary(r)
	}
	p.notes(r)
	return p.flush()
}

func headingWord(o plan.ObjectReport) string {
	if o.Op == plan.OpNone {
		return "unchanged"
	}
	return string(o.Op)
}

// fieldLine prints one difference.
func (p *printer) fieldLine(d plan.Difference) {
	text := fmt.Sprintf("  %-11s %s: %s -> %s", d.Verdict, clean(d.Path), oneLine(d.HasLive, d.Live), oneLine(d.HasDesired, d.Desired))
	if comment := p.o.comment(d); comment != "" {
		text += "  " + painted(p.paint.comment, "# "+comment)
	}
	p.line(painted(p.verdict(d.Verdict), text))
}

// verdict gives the colour of a verdict, nil for none.
func (p *printer) verdict(v plan.Verdict) *color.Color {
	switch v {
	case plan.VerdictDrift, plan.VerdictServer:
		return p.paint.warn
	case plan.VerdictConflict, plan.VerdictImmutable:
		return p.paint.bad
	case plan.VerdictRemove:
		return p.paint.removed
	case plan.VerdictChange:
		return p.paint.added
	}
	return nil
}
