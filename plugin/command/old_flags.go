package command

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Flags of the original tool that old scripts may still have, without a place in help
// and completion. --sync, --force and others that belong to one command are there.
const (
	oldFilePath    = "file-path"
	oldLogLevel    = "log-level"
	oldLevelLetter = "l"
)

// debugVerbosity is what --log-level=debug asks for: each request.
const debugVerbosity = 6

// addOldFlags accepts them on every command: --file-path is another name of
// --filename, --log-level of -v.
func addOldFlags(root *cobra.Command, env *Env) {
	root.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == oldFilePath {
			name = "filename"
		}
		return pflag.NormalizedName(name)
	})
	f := root.PersistentFlags()
	f.String(oldLogLevel, "", "Accepted for old scripts: debug is -v 6")
	_ = f.MarkHidden(oldLogLevel)
	then := root.PersistentPreRunE
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		env.readOldFlags(cmd)
		return then(cmd, args)
	}
}

// addOldLevelLetter accepts the original's -l LEVEL on each command that has no -l of
// its own: there it is kubectl's selector.
func addOldLevelLetter(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		addOldLevelLetter(c)
	}
	if f := cmd.Flags(); f.ShorthandLookup(oldLevelLetter) == nil {
		f.VarP(new(oldLevel), oldLevelLetter, oldLevelLetter, "Accepted for old scripts: -l debug is -v 6")
		_ = f.MarkHidden(oldLevelLetter)
	}
}

// oldLevel is a log level of the original tool. Another word may be a selector, which
// must not be taken for nothing.
type oldLevel string

func (l *oldLevel) String() string { return string(*l) }

// Type is what help would call the value.
func (*oldLevel) Type() string { return "level" }

// Set takes one of the original's words.
func (l *oldLevel) Set(text string) error {
	if !isOldLevel(text) {
		return fmt.Errorf("this command has no selector of objects; -l is the log level of the original tool here: wanted debug, info, warn or error, found %q", text)
	}
	*l = oldLevel(text)
	return nil
}

func isOldLevel(word string) bool {
	return slices.Contains([]string{"debug", "info", "warn", "error"}, word)
}

// readOldFlags takes their meaning over, and says what to write instead. A command may
// have a --log-level of its own, which is another flag.
func (e *Env) readOldFlags(cmd *cobra.Command) {
	if f := cmd.Flag(oldLogLevel); f.Changed && f == cmd.Root().PersistentFlags().Lookup(oldLogLevel) {
		e.takeOldLevel("--"+oldLogLevel, f.Value.String())
	}
	if f := cmd.Flag(oldLevelLetter); f != nil && f.Changed {
		e.takeOldLevel("-"+oldLevelLetter, f.Value.String())
	}
}

func (e *Env) takeOldLevel(flag, level string) {
	e.note("note: %s is of the original tool: it is -v here, and %s is read as -v %d", flag, level, e.oldVerbosity(level))
}

// oldVerbosity is the -v that a log level stands for; a -v that is given wins.
func (e *Env) oldVerbosity(level string) int {
	if e.verbosity == 0 && level == "debug" {
		e.verbosity = debugVerbosity
	}
	return e.verbosity
}

// isOldFlag tells which flags stay hidden everywhere.
func isOldFlag(name string) bool { return name == oldLogLevel }
