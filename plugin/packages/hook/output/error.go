package output

import (
	"errors"
	"fmt"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
)

// Error is everything that is wrong with one file of a hook.
type Error struct {
	// File is the variable that tells hooks the name of the file, such as
	// KUBERNETES_PATCH_PATH.
	File     string
	Findings []document.Finding // at least one
}

// Error gives one line a finding.
func (e *Error) Error() string {
	lines := make([]string, len(e.Findings))
	for i, f := range e.Findings {
		lines[i] = f.String()
	}
	if len(lines) == 1 {
		return e.File + ": " + lines[0]
	}
	return fmt.Sprintf("%s: %d mistakes:\n  %s", e.File, len(lines), strings.Join(lines, "\n  "))
}

// faults collects the findings of one file.
type faults struct {
	document.Reader
	file string
}

func (f *faults) err() error {
	if len(f.Findings) == 0 {
		return nil
	}
	return &Error{File: f.file, Findings: f.Findings}
}

// unreadable makes an *Error of a text that is no JSON or YAML.
func unreadable(file string, err error) error {
	return &Error{File: file, Findings: []document.Finding{{Text: err.Error()}}}
}

// Errors that say what an operation found instead of its object.
var (
	// ErrMissing is an object that a patch was for and that is not there.
	ErrMissing = errors.New("the object is not there")
	// ErrExists is an object that should be created and is there.
	ErrExists = errors.New("the object is there already")
)
