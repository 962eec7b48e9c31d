package hook

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/snapshot"
)

// Instance names the application instance that hooks belong to.
type Instance struct{ Namespace, Name string }

// String gives NAMESPACE.NAME, the name of the instance in queues and dumps.
func (i Instance) String() string { return i.Namespace + "." + i.Name }

// Kind is the protocol that a hook's program speaks.
type Kind string

// The kinds of programs.
const (
	// Shell programs print their configuration for --config and run without
	// arguments.
	Shell Kind = "shell"
	// Batch programs hold many hooks behind sub-commands.
	Batch Kind = "batch"
)

// Hook is one hook of a package, ready to run.
type Hook struct {
	// ID names the hook in queues, dumps and errors: the path of its file in the
	// bundle, for a hook of a batch followed by its name and number:
	// "hooks/batchhooks:batch/state:0".
	ID   string
	Kind Kind
	// File is the slash-separated path of the program within the bundle, Path its
	// absolute path on this machine.
	File, Path string
	// Name and Index are those of a hook within a batch.
	Name  string
	Index int
	// Config is what the hook asks for.
	Config binding.Config

	args  []string // of a run
	ready bool     // asks for readiness, and needs no trigger
}

// TellsReadiness tells a hook of Set.Ready from all others.
func (h *Hook) TellsReadiness() bool { return h.ready }

// Check is a program that judges the settings of an instance.
type Check struct{ File, Path string }

// Set is what was found under hooks/ of one bundle.
type Set struct {
	// Hooks are sorted by file, name and index.
	Hooks []*Hook
	// Checks judge settings; all of them have to agree.
	Checks []Check
	// Ready are hooks that tell whether the instance is ready: by the exit code of
	// a run, which needs no trigger. Each has a schedule.
	Ready []*Hook
	// Skipped lists every file that is no hook, with the reason.
	Skipped []Skipped
	// Warnings are oddities that are no mistake, each beginning with its file.
	Warnings []string
}

// Skipped is a file or directory under hooks/ that is no hook.
type Skipped struct{ File, Reason string }

// Bound lists the hooks that are bound to a stage, in the order in which they run:
// by order, then by file, name and index.
func (s *Set) Bound(stage binding.Type) []*Hook {
	var bound []*Hook
	for _, h := range s.Hooks {
		if _, ok := h.Config.Orders[stage]; ok {
			bound = append(bound, h)
		}
	}
	slices.SortStableFunc(bound, func(a, b *Hook) int {
		return cmp.Or(cmp.Compare(a.Config.Orders[stage], b.Config.Orders[stage]), compare(a, b))
	})
	return bound
}

// Find finds a hook by its ID; nil if there is none.
func (s *Set) Find(id string) *Hook {
	for _, h := range s.Hooks {
		if h.ID == id {
			return h
		}
	}
	return nil
}

// compare orders hooks where nothing else does. The index is a number: hook 10
// comes after hook 2.
func compare(a, b *Hook) int {
	return cmp.Or(strings.Compare(a.File, b.File), strings.Compare(a.Name, b.Name), cmp.Compare(a.Index, b.Index))
}

func batchID(file, name string, index int) string {
	return file + ":" + name + ":" + strconv.Itoa(index)
}

// Source gives the objects that the bindings of hooks see now.
type Source interface {
	// Snapshot gives the snapshot of one binding of a hook. An error means that
	// there is none, which holds up the runs that need it.
	Snapshot(ctx context.Context, hook, binding string) (snapshot.Snapshot, error)
}

// Sink does what hooks want done to objects.
type Sink interface {
	// Do makes one operation, which is already confined to what its instance may
	// touch. output.ErrExists and output.ErrMissing tell what was found instead
	// of the object; a missing object that the operation ignores is no error.
	Do(ctx context.Context, operation output.Operation) error
}

// Error is a failure of one hook.
type Error struct {
	Hook string
	// Doing is the names of the bindings that called it, or what else it was asked.
	Doing string
	// Err is what happened: of package process, output or snapshot.
	Err error
	// Stderr is the end of what it wrote to standard error.
	Stderr string
}

// Error names hook, binding, cause, and the last lines of standard error.
func (e *Error) Error() string {
	text := fmt.Sprintf("hook %s", e.Hook)
	if e.Doing != "" {
		text += " (" + e.Doing + ")"
	}
	text += ": " + e.Err.Error()
	if e.Stderr != "" {
		text += "\n  " + strings.ReplaceAll(e.Stderr, "\n", "\n  ")
	}
	return text
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }
