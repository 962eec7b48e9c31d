//go:build linux || darwin

package process

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Run runs the command and waits until its whole process group has ended.
//
// An error is a *StartError, *ExitError or *StoppedError; the result holds what
// is known in any case. A program that ended by itself after it was told to stop
// counts as stopped, whatever its exit code: its work may be half done.
func Run(ctx context.Context, c Command) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, &StoppedError{Cause: context.Cause(ctx)}
	}
	stdout, err := newPipe(c.MaxOutput)
	if err != nil {
		return Result{}, &StartError{Path: c.Path, Err: err}
	}
	defer stdout.close()
	stderr, err := newPipe(c.MaxOutput)
	if err != nil {
		return Result{}, &StartError{Path: c.Path, Err: err}
	}
	defer stderr.close()

	begin := time.Now()
	p, err := launch(c, stdout, stderr)
	if err != nil {
		return Result{}, &StartError{Path: c.Path, Err: startHint(err)}
	}
	if c.Started != nil {
		c.Started(p.pid)
	}
	state, stopped := follow(ctx, c, p)
	stdout.drain()
	stderr.drain()
	result := Result{Stdout: stdout.captured(), Stderr: stderr.captured(), Took: time.Since(begin)}
	if stopped != nil {
		return result, stopped
	}
	return result, exitError(state)
}

// program is one that runs.
type program struct {
	pid int
	// ended gets its state once, when its whole group has ended; nil if that can't be had.
	ended chan *os.ProcessState
}

// launch starts the program and waits for its end elsewhere: in one thread, since that is
// whose end a program is told of where this process may be killed (see attributes).
func launch(c Command, stdout, stderr *pipe) (*program, error) {
	p := &program{ended: make(chan *os.ProcessState, 1)}
	began := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		leader, err := start(c, stdout, stderr)
		if err == nil {
			p.pid = leader.Pid
		}
		began <- err
		if err == nil {
			p.ended <- reap(leader)
		}
	}()
	return p, <-began
}

// start begins the program. Its ends of the pipes are closed here, so that the
// pipes end with the group.
func start(c Command, stdout, stderr *pipe) (*os.Process, error) {
	for attempt := 0; ; attempt++ {
		command := exec.Cmd{
			Path: c.Path, Args: append([]string{c.Path}, c.Args...), Dir: c.Dir, Env: c.Env,
			Stdout: stdout.write, Stderr: stderr.write,
			SysProcAttr: attributes(),
		}
		if c.Env == nil {
			command.Env = []string{} // nil would be our own environment
		}
		err := command.Start()
		// A file that was written just now may still be open in a child that
		// another goroutine forked; it closes it within moments.
		if errors.Is(err, syscall.ETXTBSY) && attempt < 50 {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		if err != nil {
			return nil, err
		}
		stdout.started()
		stderr.started()
		return command.Process, nil
	}
}

// startHint puts words to the errors that authors of scripts meet.
func startHint(err error) error {
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		return errors.New("the system can't execute it: a script needs a first line such as #!/bin/sh, a program has to be built for this system")
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("the file or the interpreter that its first line names is not there")
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// follow waits for the end of the group and brings it about when it is due. The
// second result is set if it did.
func follow(ctx context.Context, c Command, p *program) (*os.ProcessState, *StoppedError) {
	begin := time.Now()
	limit, stopLimit := after(c.TimeLimit)
	defer stopLimit()
	watch := newWatch(c)
	defer watch.Stop()
	var cause error
	for cause == nil {
		select {
		case state := <-p.ended:
			return state, nil
		case <-ctx.Done():
			cause = context.Cause(ctx)
		case <-limit:
			cause = &TimeLimitError{Limit: c.TimeLimit}
		case <-watch.C:
			cause = c.Watch()
		}
	}
	stopped := &StoppedError{Cause: cause, After: time.Since(begin)}
	signalGroup(p.pid, syscall.SIGTERM)
	grace := time.NewTimer(c.Grace)
	defer grace.Stop()
	select {
	case state := <-p.ended:
		return state, stopped
	case <-grace.C:
		stopped.Killed = true
		signalGroup(p.pid, syscall.SIGKILL)
		return <-p.ended, stopped
	}
}

// after gives a channel that is never ready for a duration of 0.
func after(d time.Duration) (<-chan time.Time, func()) {
	if d <= 0 {
		return nil, func() {}
	}
	timer := time.NewTimer(d)
	return timer.C, func() { timer.Stop() }
}

func newWatch(c Command) *time.Ticker {
	if c.Watch == nil {
		return &time.Ticker{}
	}
	every := c.WatchEvery
	if every <= 0 {
		every = time.Second
	}
	return time.NewTicker(every)
}

func exitError(state *os.ProcessState) error {
	if state == nil {
		return &ExitError{Code: -1, Signal: "unknown"}
	}
	if state.Success() {
		return nil
	}
	failure := &ExitError{Code: state.ExitCode()}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		failure.Signal = status.Signal().String()
	}
	return failure
}
