package bundle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Severity says what a finding is worth.
type Severity string

// The severities.
const (
	// Error is what would be refused, or would not be what its author means.
	Error Severity = "error"
	// Warning is what works, and what has no effect.
	Warning Severity = "warning"
)

// Finding is one thing about a file of a bundle that its author should know.
type Finding struct {
	Severity Severity
	// File is the slash-separated path in the bundle; Line counts from 1, 0 is the
	// file as a whole.
	File string
	Line int
	// Key is where in the document: "requirements.modules.mandatory[0].name".
	Key string
	// Text says what is wrong, what was wanted and what was found.
	Text string
}

// printable replaces what would steer a terminal: keys of a file may be anything.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// String is one line: "package.yaml:7: error: requirements.kubernetes: …".
func (f Finding) String() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d", f.Line)
	}
	fmt.Fprintf(&b, ": %s: ", f.Severity)
	if f.Key != "" {
		b.WriteString(f.Key + ": ")
	}
	b.WriteString(f.Text)
	return b.String()
}

// FindingsError is an error made of findings.
type FindingsError struct {
	// Findings has at least one element; all are of the severity Error.
	Findings []Finding
}

// Error gives one line a finding.
func (e *FindingsError) Error() string {
	lines := make([]string, len(e.Findings))
	for i, f := range e.Findings {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// AsError gives a *FindingsError of what is wrong, nil if nothing is.
func AsError(findings []Finding) error {
	if wrong := ofSeverity(findings, Error); len(wrong) > 0 {
		return &FindingsError{Findings: wrong}
	}
	return nil
}

// Warnings are the findings that are no errors.
func Warnings(findings []Finding) []Finding { return ofSeverity(findings, Warning) }

func ofSeverity(findings []Finding, s Severity) []Finding {
	var some []Finding
	for _, f := range findings {
		if f.Severity == s {
			some = append(some, f)
		}
	}
	return some
}

// sortFindings puts them in the order of files and lines; those of one line stay
// as they were found.
func sortFindings(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
}
