package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// limit bounds every program that is started here.
const limit = 45 * time.Minute

// world is the control plane and the programs that work on it.
type world struct {
	bin, dir, kubeconfig string
}

func (w *world) start() error {
	out, err := w.run(command{program: "controlplane", args: []string{"start", "--dir", w.path("cp")}})
	if err != nil {
		return fmt.Errorf("start the control plane: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(out.stdout), "\n")
	w.kubeconfig = lines[len(lines)-1]
	return nil
}

func (w *world) stop() {
	if _, err := w.cp("stop"); err != nil {
		fmt.Fprintln(os.Stderr, "bench: stop the control plane:", err)
	}
}

func (w *world) path(name string) string { return filepath.Join(w.dir, name) }

// command is one start of a program.
type command struct {
	program string
	args    []string
	// differs: the exit code 1 means differences.
	differs bool
	// dir is where it runs; empty: here.
	dir string
}

func kubectl(args ...string) command { return command{program: "kubectl", args: args} }
func helm(args ...string) command    { return command{program: "helm", args: args} }
func tazuna(args ...string) command {
	return command{program: "kubectl-tazuna", args: args, differs: slices.Contains([]string{"diff", "plan"}, args[0])}
}

func (c command) in(dir string) command {
	c.dir = dir
	return c
}

// outcome is what one run of a program cost.
type outcome struct {
	stdout  string
	code    int
	seconds float64
	// cpu is the time that its processors worked, which other programs on the machine
	// disturb less.
	cpu float64
	// mebibyte is the most memory it held.
	mebibyte float64
	// requests and writes of the program, counted at the server; -1: not counted.
	requests, writes int
}

// run runs a program to its end.
func (w *world) run(c command) (outcome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, filepath.Join(w.bin, c.program), c.args...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = &stdout, &stderr, c.dir
	cmd.Env = w.environment()
	began := time.Now()
	err := cmd.Run()
	out := outcome{stdout: stdout.String(), seconds: time.Since(began).Seconds(), requests: -1, writes: -1}
	if cmd.ProcessState != nil {
		out.cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			out.mebibyte = float64(usage.Maxrss) / 1024
		}
	}
	var exited *exec.ExitError
	if errors.As(err, &exited) && exited.ExitCode() == 1 && c.differs {
		out.code = 1
		return out, nil
	}
	if err != nil {
		return out, fmt.Errorf("%s %s: %w: %s", c.program, strings.Join(c.args, " "), err, end(stderr.String()))
	}
	return out, nil
}

// environment is that of every program: what they keep is below our own directory.
func (w *world) environment() []string {
	return append(os.Environ(), "KUBECONFIG="+w.kubeconfig, "XDG_CACHE_HOME="+w.path("cache"), "HOME="+w.dir, "TAZUNA_DESTROY_EXECUTABLE=true")
}

// end is the last of what a program said.
func end(text string) string {
	const most = 600
	text = strings.TrimSpace(text)
	return text[max(len(text)-most, 0):]
}

// all runs commands whose cost is of no interest.
func (w *world) all(commands ...command) error {
	for _, c := range commands {
		if _, err := w.run(c); err != nil {
			return err
		}
	}
	return nil
}

// bestOf is the fastest of n runs.
func (w *world) bestOf(n int, c command) (out outcome, err error) {
	for i := range n {
		got, err := w.run(c)
		if err != nil {
			return out, err
		}
		if i == 0 || got.seconds < out.seconds {
			out = got
		}
	}
	return out, nil
}

// counted is run with the requests that clients sent meanwhile, but for renewals of
// a lock: their number is that of the seconds, which are noise.
func (w *world) counted(c command) (outcome, error) {
	if _, err := w.cp("requests", "--reset"); err != nil {
		return outcome{}, err
	}
	out, err := w.run(c)
	if err != nil {
		return out, err
	}
	if out.requests, err = w.count("--clients", "--count"); err != nil {
		return out, err
	}
	if out.writes, err = w.count("--clients", "--writes", "--count"); err != nil {
		return out, err
	}
	updates, err := w.count("--clients", "--resource", "leases", "--verb", "update", "--count")
	if err != nil {
		return out, err
	}
	reads, err := w.count("--clients", "--resource", "leases", "--verb", "get", "--count")
	if err != nil {
		return out, err
	}
	out.requests, out.writes = out.requests-updates-min(reads, updates), out.writes-updates
	return out, nil
}

func (w *world) count(args ...string) (int, error) {
	text, err := w.cp("requests", args...)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(text))
}

func (w *world) cp(verb string, args ...string) (string, error) {
	out, err := w.run(command{program: "controlplane", args: append([]string{verb, "--dir", w.path("cp")}, args...)})
	return out.stdout, err
}

// warmUp fills the caches of discovery and schemas, which are made once a machine
// and not once a run.
func (w *world) warmUp() error {
	file, err := w.mixed("warm", 10, 1)
	if err != nil {
		return err
	}
	apply := tazuna("apply", "-f", file, "--manifest", "warm", "--yes", "--wait=false", "--summary")
	return w.all(kubectl("create", "namespace", "warm"), apply, apply, command{program: "kubectl", args: []string{"diff", "--server-side", "-f", file}, differs: true})
}
