package process

import (
	"errors"
	"fmt"
	"time"
)

// Command says what to run and where it ends.
type Command struct {
	// Path is the executable; it is not looked for in PATH.
	Path string
	Args []string
	// Dir is the working directory.
	Dir string
	// Env is the whole environment, as KEY=value.
	Env []string

	// TimeLimit ends the program; 0 is none.
	TimeLimit time.Duration
	// Grace is the time between asking the group to end and killing it; 0 kills
	// it at once.
	Grace time.Duration
	// MaxOutput is how many bytes of standard output and of standard error are
	// kept, each; 0 keeps none.
	MaxOutput int
	// Watch, if set, is asked every WatchEvery while the program runs. An error
	// stops it with this error as the cause.
	Watch func() error
	// WatchEvery is 1 s if it is 0.
	WatchEvery time.Duration
	// Started, if set, is called with the process id before Run waits.
	Started func(pid int)
}

// Result is what is known of a program that has run, also when it failed.
type Result struct {
	Stdout, Stderr Captured
	Took           time.Duration
}

// ErrUnsupported says that this system has no process groups that a hook could
// be run in.
var ErrUnsupported = errors.New("hooks can be run on Linux and macOS only")

// StartError is a program that could not be started.
type StartError struct {
	Path string
	Err  error
}

// Error names the program and, where it can be guessed, what to do.
func (e *StartError) Error() string { return fmt.Sprintf("start %s: %v", e.Path, e.Err) }

// Unwrap gives the error of the system.
func (e *StartError) Unwrap() error { return e.Err }

// ExitError is a program that ended by itself without success.
type ExitError struct {
	// Code is the exit code; -1 if a signal ended it.
	Code int
	// Signal is the name of the signal that somebody else sent; "" if none did.
	Signal string
}

// Error tells the exit code or the signal.
func (e *ExitError) Error() string {
	if e.Signal != "" {
		return "was ended by signal: " + e.Signal
	}
	return fmt.Sprintf("exit code %d", e.Code)
}

// StoppedError is a program that Run ended.
type StoppedError struct {
	// Cause is the cause of the context, a *TimeLimitError, or the error of
	// Command.Watch.
	Cause error
	// After is how long the program had run when it was told to end.
	After time.Duration
	// Killed tells that it did not end within the grace period.
	Killed bool
}

// Error tells the cause and how it ended.
func (e *StoppedError) Error() string {
	how := "stopped"
	if e.Killed {
		how = "killed"
	}
	return fmt.Sprintf("%s after %s: %v", how, e.After.Round(time.Millisecond), e.Cause)
}

// Unwrap gives the cause.
func (e *StoppedError) Unwrap() error { return e.Cause }

// TimeLimitError is the cause of a program that ran too long.
type TimeLimitError struct{ Limit time.Duration }

// Error tells the limit.
func (e *TimeLimitError) Error() string {
	return fmt.Sprintf("did not end within its time limit of %s", e.Limit)
}
