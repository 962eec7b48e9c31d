package hook

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/process"
)

// Loader finds the hooks of a bundle and asks them for their configuration.
type Loader struct {
	// Instance is told to the hooks, which may answer with its namespace.
	Instance Instance
	// Namespaces says where hooks may look; binding.Instance if it is empty.
	Namespaces binding.Rule
	// Env is the environment of the hooks besides what they are told; see BaseEnv.
	Env []string
	// LogLevel is told to the hooks; "info" if it is empty.
	LogLevel string
	Limits   Limits
}

// LoadError is every hook of a bundle that can't be loaded.
type LoadError struct {
	Failures []LoadFailure // at least one, sorted by file
}

// LoadFailure is one program that can't be loaded.
type LoadFailure struct { //nolint:errname // one part of LoadError, which is the error
	// File is the path within the bundle.
	File string
	// Err is a *binding.Error with all mistakes of a configuration, or an *Error
	// with the end of standard error if the program failed.
	Err error
}

// Error gives a line for each mistake.
func (e *LoadError) Error() string {
	lines := make([]string, len(e.Failures))
	for i, f := range e.Failures {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the failures.
func (e *LoadError) Unwrap() []error {
	all := make([]error, len(e.Failures))
	for i, f := range e.Failures {
		all[i] = f
	}
	return all
}

// Error begins each mistake with the file.
func (f LoadFailure) Error() string {
	if failure, ok := f.Err.(*Error); ok { //nolint:errorlint // one deeper inside doesn't begin the text
		return failure.Error() // it names the file itself
	}
	var config *binding.Error
	if !errors.As(f.Err, &config) {
		return f.File + ": " + f.Err.Error()
	}
	lines := make([]string, len(config.Findings))
	for i, finding := range config.Findings {
		lines[i] = f.File + ": " + finding.String()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the cause.
func (f LoadFailure) Unwrap() error { return f.Err }

// Load finds and asks all hooks below the hooks directory of a bundle. With a
// *LoadError, the Set holds what could be loaded; any other error is about the
// directory or the context.
func (l Loader) Load(ctx context.Context, bundle string) (*Set, error) {
	found, err := find(bundle)
	if err != nil {
		return nil, err
	}
	set := &Set{Skipped: found.skipped, Warnings: found.odd}
	failures := found.failed
	for _, c := range found.found {
		err := l.ask(ctx, c, set)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("load hooks: %w", context.Cause(ctx))
		}
		if errors.Is(err, process.ErrUnsupported) {
			return nil, err
		}
		if err != nil {
			failures = append(failures, LoadFailure{File: c.file, Err: err})
		}
	}
	slices.SortStableFunc(set.Hooks, compare)
	slices.SortStableFunc(set.Skipped, func(a, b Skipped) int { return cmp.Compare(a.File, b.File) })
	slices.SortStableFunc(failures, func(a, b LoadFailure) int { return cmp.Compare(a.File, b.File) })
	if len(failures) > 0 {
		return set, &LoadError{Failures: failures}
	}
	return set, nil
}

// ask finds out which protocol a program speaks, and what its hooks want.
func (l Loader) ask(ctx context.Context, c candidate, set *Set) error {
	var listErr error
	if c.mayBatch() {
		var count int
		if count, listErr = l.list(ctx, c); listErr == nil {
			return l.askBatch(ctx, c, count, set)
		}
	}
	out, err := l.question(ctx, c, "--config")
	if listErr != nil && (err != nil || len(bytes.TrimSpace(out)) == 0) {
		return fmt.Errorf("is neither a batch binary nor a shell hook:\n%w", errors.Join(listErr, err))
	}
	if err != nil {
		return err
	}
	config, odd, err := binding.Parse(out, l.options())
	if err != nil {
		return err
	}
	set.Hooks = append(set.Hooks, &Hook{ID: c.file, Kind: Shell, File: c.file, Path: c.path, Config: config})
	set.warn(c.file, odd)
	return nil
}

var listed = regexp.MustCompile(`(?m)^Found (\d+) items`)

// list asks a program how many hooks it holds.
func (l Loader) list(ctx context.Context, c candidate) (int, error) {
	out, err := l.question(ctx, c, "hook", "list")
	if err != nil {
		return 0, err
	}
	match := listed.FindSubmatch(out)
	if match == nil {
		return 0, &Error{Hook: c.file, Doing: "hook list", Err: errors.New(`wanted "Found N items" on standard output`)}
	}
	count, err := strconv.Atoi(string(match[1]))
	if err != nil {
		return 0, &Error{Hook: c.file, Doing: "hook list", Err: err}
	}
	return count, nil
}

func (l Loader) askBatch(ctx context.Context, c candidate, count int, set *Set) error {
	out, err := l.question(ctx, c, "hook", "config")
	if err != nil {
		if count == 0 {
			return fmt.Errorf("there are no hooks in it: %w", err)
		}
		return err
	}
	batch, odd, err := binding.ParseBatch(out, l.options())
	if err != nil {
		return err
	}
	switch {
	case len(batch.Hooks) != count:
		return fmt.Errorf("hook list finds %d hooks, hook config prints %d", count, len(batch.Hooks))
	case count == 0 && !batch.SettingsCheck && batch.Readiness == nil:
		return errors.New("there are no hooks in it")
	}
	for i, b := range batch.Hooks {
		set.Hooks = append(set.Hooks, &Hook{
			ID: batchID(c.file, b.Name, i), Kind: Batch, File: c.file, Path: c.path, Name: b.Name, Index: i,
			Config: b.Config, args: []string{"hook", "run", strconv.Itoa(i)},
		})
	}
	if batch.SettingsCheck {
		set.Checks = append(set.Checks, Check{File: c.file, Path: c.path})
	}
	if r := batch.Readiness; r != nil {
		set.Ready = append(set.Ready, &Hook{
			ID: c.file + ":ready", Kind: Batch, File: c.file, Path: c.path, Name: r.Name,
			Config: askedRegularly(r.Config), args: []string{"hook", "ready"}, ready: true,
		})
	}
	set.warn(c.file, odd)
	return nil
}

// readinessCrontab is when a program that doesn't say so is asked whether the instance
// is ready: as often as module-sdk has it asked.
const readinessCrontab = "*/15 * * * * *"

// askedRegularly gives a hook of readiness a schedule, if it has none.
func askedRegularly(c binding.Config) binding.Config {
	if len(c.Schedules) > 0 {
		return c
	}
	times, err := binding.ParseCrontab(readinessCrontab)
	if err == nil { // a constant
		c.Schedules = []binding.Schedule{{Name: "readiness", Crontab: readinessCrontab, Times: times, Queue: binding.MainQueue}}
	}
	return c
}

func (l Loader) options() binding.Options {
	return binding.Options{Rule: l.Namespaces, Namespace: l.Instance.Namespace}
}

func (s *Set) warn(file string, odd []binding.Finding) {
	for _, o := range odd {
		s.Warnings = append(s.Warnings, file+": "+o.String())
	}
}

// question runs a program with arguments and gives its standard output.
func (l Loader) question(ctx context.Context, c candidate, args ...string) ([]byte, error) {
	doing, limits := strings.Join(args, " "), l.Limits.orDefault()
	result, err := process.Run(ctx, process.Command{
		Path: c.path, Args: args, Dir: filepath.Dir(c.path),
		Env:       merged(l.Env, identityEnv(l.Instance, l.LogLevel)),
		TimeLimit: limits.Load, Grace: limits.Grace, MaxOutput: limits.Config,
	})
	if err != nil {
		return nil, &Error{Hook: c.file, Doing: doing, Err: err, Stderr: lastLines(result)}
	}
	if !result.Stdout.Complete() {
		return nil, &Error{Hook: c.file, Doing: doing, Err: fmt.Errorf("printed more than %d bytes", limits.Config)}
	}
	return result.Stdout.Bytes(), nil
}

const (
	stderrLines = 10
	stderrBytes = 2000
)

// lastLines is what an error shows of standard error, or of standard output if
// there is nothing on standard error.
func lastLines(result process.Result) string {
	if text := result.Stderr.Last(stderrLines, stderrBytes); text != "" {
		return text
	}
	return result.Stdout.Last(stderrLines, stderrBytes)
}
