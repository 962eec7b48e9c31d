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
	// Repeated says that the fault is a key given twice: readers that are less
	// strict take the last one.
	Repeated bool
}

// String gives one line: place, text, key.
func (f Finding) String() string {
	text := f.Text
	if f.Key != "" && !slices.Contains(strings.Fields(strings.ReplaceAll(text, `"`, " ")), f.Key) {
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

// mostShown bounds an error text: one fault of a generator is in every document.
const mostShown = 20

// Error gives one line for each finding, the first 20 of them.
func (e *LoadError) Error() string {
	var lines []string
	for _, finding := range e.Findings[:min(len(e.Findings), mostShown)] {
		lines = append(lines, finding.String())
	}
	if len(e.Findings) == 1 {
		return lines[0]
	}
	if more := len(e.Findings) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("%d problems:\n  %s", len(e.Findings), strings.Join(lines, "\n  "))
}

func sortFindings(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Origin.Document, b.Origin.Document),
			cmp.Compare(a.Origin.Line, b.Origin.Line),
		)
	})
}
