package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Finding is one mistake in a file.
type Finding struct {
	// File is the path of the file, Line the line in it from 1; Line 0 means
	// the file as a whole.
	File string
	Line int
	// Field is where in the document: "spec.manifests[2].path". Empty for the
	// document itself.
	Field string
	// Text says what is wrong, what was wanted and what was found.
	Text string
	// Lenient says that LoadOptions.Lenient would make a warning of it.
	Lenient bool
}

// String is the finding on one line, starting with file:line.
func (f Finding) String() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d", f.Line)
	}
	b.WriteString(": ")
	if f.Field != "" {
		b.WriteString(f.Field + ": ")
	}
	b.WriteString(f.Text)
	return b.String()
}

// Error says everything that is wrong with a file.
type Error struct {
	// Findings has at least one element, in the order of the file.
	Findings []Finding
}

// Error gives one line a finding.
func (e *Error) Error() string {
	lines := make([]string, len(e.Findings))
	for i, f := range e.Findings {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// Lenient reports whether every finding is one that a lenient load lets pass.
func (e *Error) Lenient() bool {
	return !slices.ContainsFunc(e.Findings, func(f Finding) bool { return !f.Lenient })
}

// newError sorts the findings by file, in the order in which the files were met,
// and line, and wraps them; nil if there are none.
func newError(findings []Finding) error {
	if len(findings) == 0 {
		return nil
	}
	sortFindings(findings)
	return &Error{Findings: findings}
}

func sortFindings(findings []Finding) {
	met := map[string]int{}
	for _, f := range findings {
		if _, ok := met[f.File]; !ok {
			met[f.File] = len(met)
		}
	}
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(met[a.File]-met[b.File], a.Line-b.Line)
	})
}
