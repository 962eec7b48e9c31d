package printers

import (
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// ExplanationList is the result of config explain.
type ExplanationList struct {
	APIVersion string             `json:"apiVersion"`
	Kind       string             `json:"kind"`
	Items      []plan.Explanation `json:"items"`
}

// NewExplanationList wraps explanations as a result of its own kind.
func NewExplanationList(items []plan.Explanation) *ExplanationList {
	return &ExplanationList{APIVersion: plan.APIVersion, Kind: "ExplanationList", Items: items}
}

// appliedLast says what was applied last, where that is known.
func appliedLast(e plan.Explanation, d plan.ExplainedPath) string {
	if e.Basis == "" || e.Basis == plan.BasisFields {
		return ""
	}
	return ", applied last " + oneLine(d.HasApplied, d.Applied)
}

// Print writes, for each object, a line a path and the reason below it.
func (l *ExplanationList) Print(o Options) error {
	p := newPrinter(o)
	for _, e := range l.Items {
		p.part()
		p.heading(headingWord(e.ObjectReport), e.ObjectReport)
		if e.Basis != "" {
			p.note("last applied values come from " + string(e.Basis))
		}
		p.reason(e.Reason)
		for _, d := range e.Paths {
			p.line(painted(p.verdict(d.Verdict), fmt.Sprintf("  %-11s %s: live %s, files %s%s",
				d.Verdict, clean(d.Path), oneLine(d.HasLive, d.Live), oneLine(d.HasDesired, d.Desired), appliedLast(e, d))))
			p.note("  " + cleanParagraph(d.Because, "      "))
			if len(d.Owners) > 0 {
				p.note("  owned by " + owners(d.Owners))
			}
		}
		for _, note := range e.Notes {
			p.note(cleanParagraph(note, "    "))
		}
	}
	return p.flush()
}
