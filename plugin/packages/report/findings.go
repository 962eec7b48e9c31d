package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// APIVersion is that of all results here.
const APIVersion = "tazuna.pepabo.com/v1alpha1"

// Severity says what a finding is worth.
type Severity string

// The severities.
const (
	// Error is what would be refused or would not work.
	Error Severity = "error"
	// Warning is what works, and probably not as it is meant.
	Warning Severity = "warning"
)

// Finding is one thing that is wrong with a package.
type Finding struct {
	Severity Severity `json:"severity"`
	// Rule names the check, such as "instance-prefix".
	Rule string `json:"rule"`
	// File is the slash-separated path within the package; "" for the package as a
	// whole. Line counts from 1; 0 where there is none.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Text says what is wrong: what was wanted, what was found.
	Text string `json:"text"`
}

// Place is FILE:LINE, as far as it is known.
func (f Finding) Place() string {
	if f.Line > 0 {
		return fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return f.File
}

// String is one line: place, severity, text, rule.
func (f Finding) String() string {
	place := f.Place()
	if place != "" {
		place += ": "
	}
	return fmt.Sprintf("%s%s: %s (%s)", place, f.Severity, f.Text, f.Rule)
}

// Findings is the result of "packages lint".
type Findings struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"` // PackageFindings
	Package    string    `json:"package"`
	Items      []Finding `json:"items"`
	Errors     int       `json:"errors"`
	Warnings   int       `json:"warnings"`
}

// NewFindings sorts and counts findings: by file and line, errors first. What is
// there twice counts once.
func NewFindings(name string, items []Finding) *Findings {
	sorted := slices.Clone(items)
	slices.SortStableFunc(sorted, func(a, b Finding) int {
		return cmp.Or(
			strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			strings.Compare(string(a.Severity), string(b.Severity)), strings.Compare(a.Rule, b.Rule), strings.Compare(a.Text, b.Text),
		)
	})
	f := &Findings{APIVersion: APIVersion, Kind: "PackageFindings", Package: name, Items: append([]Finding{}, slices.Compact(sorted)...)}
	for _, item := range f.Items {
		if item.Severity == Error {
			f.Errors++
		} else {
			f.Warnings++
		}
	}
	return f
}

// Names lists the findings by rule and place, for -o name.
func (f *Findings) Names() []string {
	names := make([]string, len(f.Items))
	for i, item := range f.Items {
		names[i] = item.Rule + "/" + item.Place()
	}
	return names
}
