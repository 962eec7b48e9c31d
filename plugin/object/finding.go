package object

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Finding is one fault of an input.
type Finding struct {
	Origin Origin
	Key    string // path of the key, "spec.containers[0].env"; "" where none is meant
	Text   string // what is wrong, what was wanted; never a value of the input
}

// String gives one line: place, text, key.
func (f Finding) String() string {
	text := f.Text
	if !strings.Contains(text, f.Key) {
		text += " (" + f.Key + ")"
	}
	if place := f.Origin.String(); place != "" {
		text = place + ": " + text
	}
	return text
}

// LoadError is every fault of one input at once, so that a file is corrected in
// one go. Nothing of the input may be used.
type LoadError struct {
	Findings []Finding // at least one, in order of their places
}

// Error gives one line for each finding.
func (e *LoadError) Error() string {
	lines := make([]string, len(e.Findings))
	for i, finding := range e.Findings {
		lines[i] = finding.String()
	}
	if len(lines) == 1 {
		return lines[0]
	}
	return fmt.Sprintf("%d problems:\n  %s", len(lines), strings.Join(lines, "\n  "))
}

func sortFindings(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Origin.Document, b.Origin.Document),
			cmp.Compare(a.Origin.Line, b.Origin.Line),
		)
	})
}
