package hook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/process"
)

// Runner runs the hooks of one instance. It may be used by several goroutines.
type Runner struct {
	Instance Instance
	// Namespaces says what hooks may touch; binding.Instance if it is empty.
	Namespaces binding.Rule
	// Env is the environment of the hooks besides what they are told; see BaseEnv.
	Env []string
	// LogLevel is told to the hooks; "info" if it is empty.
	LogLevel string
	// TempDir is where the directories of runs are made; that of the system if
	// it is empty.
	TempDir string
	Limits  Limits
	// Pace holds up runs; nil runs a hook as often as it is asked for, as by hand.
	Pace *Pace
	// Now is the clock; time.Now if it is nil.
	Now func() time.Time

	mu      sync.Mutex
	running map[*Running]bool
}

// Running is a run that is under way.
type Running struct {
	Hook string
	// Doing names the bindings that called the hook.
	Doing string
	PID   int
	Since time.Time
}

// Request is one run of a hook.
type Request struct {
	Hook *Hook
	// Triggers are the reasons, in order; at least one.
	Triggers []Trigger
	// Values and Settings are what the hook can read of its instance.
	Values, Settings map[string]any
	// Source gives the snapshots.
	Source Source
}

// Result is what a run gave. Nothing of it has taken effect yet.
type Result struct {
	Hook *Hook
	// Patch changes values.
	Patch output.ValuesPatch
	// Operations are confined to what the instance may touch. After a failed run
	// they are those that want to be made all the same.
	Operations []output.Operation
	Metrics    []output.Metric
	// Notes tell where operations were confined.
	Notes []string
	// Stdout and Stderr are what the hook wrote, without values of Secrets.
	Stdout, Stderr string
	Took           time.Duration
}

// Run runs a hook once, when its pace allows it. All of its output is read and understood before Run
// returns it. Errors are *Error and wrap those of the packages process, output and
// snapshot; the result then holds Operations, Stdout, Stderr and Took only.
func (r *Runner) Run(ctx context.Context, q Request) (result Result, err error) {
	h := q.Hook
	result.Hook = h
	if err := r.Pace.wait(ctx, h, q.Triggers); err != nil {
		return result, r.failure(h, q.Triggers, err)
	}
	told, err := h.contexts(ctx, q.Triggers, q.Source)
	if err != nil {
		return result, r.failure(h, q.Triggers, err)
	}
	f, err := newFiles(r.TempDir, r.Limits.orDefault().File)
	if err != nil {
		return result, r.failure(h, q.Triggers, err)
	}
	defer f.removed(&err)
	if err := r.prepare(f, told, q); err != nil {
		return result, r.failure(h, q.Triggers, err)
	}
	ran, runErr := r.process(ctx, q, f)
	got, readErr := r.collect(f)

	secrets := append(told.secrets(), output.Bodies(got.Operations)...)
	result.Took = ran.Took
	result.Stdout = object.Scrub(string(ran.Stdout.Bytes()), secrets...)
	result.Stderr = object.Scrub(string(ran.Stderr.Bytes()), secrets...)
	var exit *process.ExitError
	switch {
	case errors.As(runErr, &exit):
		result.Operations, result.Notes = r.confine(slices.DeleteFunc(got.Operations, func(o output.Operation) bool {
			return !o.DespiteFailure()
		}))
		return result, r.programFailure(q, exit, ran, secrets)
	case runErr != nil:
		return result, r.programFailure(q, runErr, ran, secrets)
	case readErr != nil:
		return result, r.failure(h, q.Triggers, readErr)
	}
	result.Patch, result.Metrics = got.Patch, got.Metrics
	result.Operations, result.Notes = r.confine(got.Operations)
	return result, nil
}

// prepare writes what the hook reads.
func (r *Runner) prepare(f *files, told *contexts, q Request) error {
	return errors.Join(
		f.create(contextsFile, func(out *os.File) error { return told.write(out) }),
		f.createJSON(valuesFile, q.Values),
		f.createJSON(settingsFile, q.Settings),
		f.createEmpty(),
	)
}

// process runs the program of the hook.
func (r *Runner) process(ctx context.Context, q Request, f *files) (process.Result, error) {
	h, limits := q.Hook, r.Limits.orDefault()
	under := &Running{Hook: h.ID, Doing: Doing(q.Triggers), Since: r.now()}
	defer r.end(under)
	variables := append([]string{contextsFile, valuesFile, settingsFile}, outputs()...)
	return process.Run(ctx, process.Command{
		Path: h.Path, Args: h.args, Dir: filepath.Dir(h.Path),
		Env:       merged(r.Env, identityEnv(r.Instance, r.LogLevel), f.env(variables...)),
		TimeLimit: limits.Run, Grace: limits.Grace, MaxOutput: limits.Output,
		Watch:   f.tooLarge,
		Started: func(pid int) { r.begin(under, pid) },
	})
}

// collect reads and understands all that the hook wrote. After a failure the
// operations are still those that could be read.
func (r *Runner) collect(f *files) (Result, error) {
	var got Result
	var failures []error
	parse := func(variable string, understand func(data []byte) error) {
		data, err := f.read(variable)
		if err == nil {
			err = understand(data)
		}
		failures = append(failures, err)
	}
	parse(output.OperationsFile, func(data []byte) (err error) {
		got.Operations, err = output.ParseOperations(data)
		return err
	})
	parse(output.ValuesPatchFile, func(data []byte) (err error) {
		got.Patch, err = output.ParseValuesPatch(data)
		return err
	})
	parse(output.SettingsPatchFile, output.CheckSettingsPatch)
	parse(output.MetricsFile, func(data []byte) (err error) {
		got.Metrics, err = output.ParseMetrics(data)
		return err
	})
	return got, errors.Join(failures...)
}

// confine moves operations into what the instance may touch.
func (r *Runner) confine(operations []output.Operation) (confined []output.Operation, notes []string) {
	if r.Namespaces == binding.Any {
		return operations, nil
	}
	for _, o := range operations {
		inside, note := o.Scope(r.Instance.Namespace, r.Instance.Name)
		if note != "" {
			notes = append(notes, fmt.Sprintf("operation %d (%s): %s", o.Number, o.Verb, note))
		}
		confined = append(confined, inside)
	}
	return confined, notes
}

func (r *Runner) failure(h *Hook, triggers []Trigger, err error) *Error {
	return &Error{Hook: h.ID, Doing: Doing(triggers), Err: err}
}

// programFailure is the error of a program that ended without success. The SDK
// writes the reason as JSON.
func (r *Runner) programFailure(q Request, err error, ran process.Result, secrets []map[string]any) *Error {
	failure := r.failure(q.Hook, q.Triggers, err)
	text := lastLines(ran)
	if q.Hook.Kind == Batch {
		text = cmp.Or(sdkMessage(ran.Stderr.Last(1, len(ran.Stderr.Head)+len(ran.Stderr.Tail))), text)
	}
	failure.Stderr = object.Scrub(text, secrets...)
	return failure
}

func (r *Runner) now() time.Time {
	if r.Now == nil {
		return time.Now()
	}
	return r.Now()
}

func (r *Runner) begin(under *Running, pid int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	under.PID = pid
	if r.running == nil {
		r.running = map[*Running]bool{}
	}
	r.running[under] = true
}

func (r *Runner) end(under *Running) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.running, under)
}

// Running lists the runs that are under way, the oldest first.
func (r *Runner) Running() []Running {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]Running, 0, len(r.running))
	for under := range r.running {
		all = append(all, *under)
	}
	slices.SortFunc(all, func(a, b Running) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.PID, b.PID))
	})
	return all
}
