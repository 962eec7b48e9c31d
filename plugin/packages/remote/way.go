package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/debug"
)

// Way is how a controller is asked.
type Way string

// The ways.
const (
	// Socket asks a controller on this machine.
	Socket Way = "socket"
	// Exec asks a controller in a Pod of the cluster.
	Exec Way = "exec"
	// Deckhouse asks Deckhouse by its own commands.
	Deckhouse Way = "deckhouse"
)

// Ways are all, in the order in which they are tried.
func Ways() []Way { return []Way{Socket, Exec, Deckhouse} }

// Names are the ways as texts, for messages and completion.
func Names() []string {
	var names []string
	for _, w := range Ways() {
		names = append(names, string(w))
	}
	return names
}

// ParseWay reads a way; "" is that the first is taken by which there is somebody.
func ParseWay(text string) (Way, error) {
	if text != "" && !slices.Contains(Ways(), Way(text)) {
		return "", fmt.Errorf("wanted %s, found %q", strings.Join(Names(), ", "), text)
	}
	return Way(text), nil
}

// AbsentError says that nobody can be asked by one way.
type AbsentError struct {
	Way Way
	// Why ends a sentence about it, without a stop.
	Why string
	// Err is what says so; may be nil.
	Err error
}

// Error is the reason.
func (e *AbsentError) Error() string { return e.Why }

// Unwrap is the cause.
func (e *AbsentError) Unwrap() error { return e.Err }

// NobodyError says that nobody can be asked by any way.
type NobodyError struct{ Absent []*AbsentError }

// Error tells where was looked, and what to do.
func (e *NobodyError) Error() string {
	var reasons []string
	for _, a := range e.Absent {
		reasons = append(reasons, string(a.Way)+": "+a.Why)
	}
	return fmt.Sprintf("no controller of packages was found (%s): start one with \"packages controller\"", strings.Join(reasons, "; "))
}

// Look looks for somebody by one way; *AbsentError where nobody is.
type Look func(ctx context.Context) (debug.Transport, error)

// Choose takes the wanted way. Without one it takes the first, in the order of Ways, by
// which there is somebody; that somebody is there and can't be asked ends the search.
// Errors: *AbsentError of the wanted way, *NobodyError, and what looking failed with.
func Choose(ctx context.Context, wanted Way, looks map[Way]Look) (debug.Transport, error) {
	if wanted != "" {
		return looks[wanted](ctx)
	}
	none := &NobodyError{}
	for _, way := range Ways() {
		found, err := looks[way](ctx)
		var absent *AbsentError
		if !errors.As(err, &absent) {
			return found, err
		}
		none.Absent = append(none.Absent, absent)
	}
	return nil, none
}
