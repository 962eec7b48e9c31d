package binding

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
)

// Finding is one mistake, or one oddity, of a configuration.
type Finding struct {
	// Hook names the hook within a batch: its metadata name; "" for a shell hook.
	Hook string
	// Binding is the name of the schedule or kubernetes binding, "" elsewhere.
	Binding string
	// At is the path in the configuration: "kubernetes[0].jqFilter".
	At   string
	Text string
}

// String gives one line: hook, binding, path, text.
func (f Finding) String() string {
	var b strings.Builder
	if f.Hook != "" {
		fmt.Fprintf(&b, "hook %q: ", f.Hook)
	}
	if f.Binding != "" {
		fmt.Fprintf(&b, "binding %q: ", f.Binding)
	}
	if f.At != "" {
		b.WriteString(f.At + ": ")
	}
	return b.String() + f.Text
}

// Error is everything that is wrong with one configuration.
type Error struct {
	Findings []Finding // at least one
}

// Error gives one line a finding.
func (e *Error) Error() string {
	lines := make([]string, len(e.Findings))
	for i, f := range e.Findings {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// single makes an error of one mistake that is about the whole.
func single(format string, args ...any) error {
	return &Error{Findings: []Finding{{Text: fmt.Sprintf(format, args...)}}}
}

// syntaxError puts what the hook printed instead of a configuration into words.
func syntaxError(err error) error {
	if errors.Is(err, document.ErrEmpty) {
		return single("wanted a configuration on standard output, found no output at all")
	}
	return single("the output is no configuration: %v", err)
}

func sortedSet(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}
