package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// limit bounds every program that is started here.
const limit = 30 * time.Minute

// world is the control plane and the programs that work on it.
type world struct {
	bin, dir, kubeconfig string
}

func (w *world) start() error {
	out, err := w.run("controlplane", "start", "--dir", filepath.Join(w.dir, "cp"))
	if err != nil {
		return fmt.Errorf("start the control plane: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(out.stdout), "\n")
	w.kubeconfig = lines[len(lines)-1]
	return nil
}

func (w *world) stop() {
	if _, err := w.run("controlplane", "stop", "--dir", filepath.Join(w.dir, "cp")); err != nil {
		fmt.Fprintln(os.Stderr, "bench: stop the control plane:", err)
	}
}

// outcome is what one run of a program cost.
type outcome struct {
	stdout  string
	code    int
	seconds float64
	// cpu is the time that its processors worked, which other programs on the machine
	// disturb less.
	cpu      float64
	mebibyte float64
	// requests and writes of the program, counted at the server; -1: not counted.
	requests, writes int
}

// run runs a program; any exit code above 1 is an error, since diff tools mean
// differences by 1.
func (w *world) run(name string, args ...string) (outcome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, filepath.Join(w.bin, name), args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(os.Environ(), "KUBECONFIG="+w.kubeconfig, "XDG_CACHE_HOME="+filepath.Join(w.dir, "cache"))
	began := time.Now()
	err := cmd.Run()
	out := outcome{stdout: stdout.String(), seconds: time.Since(began).Seconds(), requests: -1, writes: -1}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		out.mebibyte = float64(usage.Maxrss) / 1024
		out.cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	}
	var exited *exec.ExitError
	if errors.As(err, &exited) && exited.ExitCode() == 1 {
		out.code = 1
		return out, nil
	}
	if err != nil {
		return out, fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

// bestOf is the fastest of n runs.
func (w *world) bestOf(n int, name string, args ...string) (out outcome, err error) {
	for i := range n {
		got, err := w.run(name, args...)
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
func (w *world) counted(name string, args ...string) (outcome, error) {
	if _, err := w.cp("requests", "--reset"); err != nil {
		return outcome{}, err
	}
	out, err := w.run(name, args...)
	if err != nil {
		return out, err
	}
	if out.requests, err = w.count("--clients", "--count"); err != nil {
		return out, err
	}
	if out.writes, err = w.count("--clients", "--writes", "--count"); err != nil {
		return out, err
	}
	renewals, err := w.count("--clients", "--resource", "leases", "--verb", "update", "--count")
	out.requests, out.writes = out.requests-renewals, out.writes-renewals
	return out, err
}

func (w *world) count(args ...string) (int, error) {
	text, err := w.cp("requests", args...)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(text))
}

func (w *world) cp(verb string, args ...string) (string, error) {
	out, err := w.run("controlplane", append([]string{verb, "--dir", filepath.Join(w.dir, "cp")}, args...)...)
	return out.stdout, err
}
