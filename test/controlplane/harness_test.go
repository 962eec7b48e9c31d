package controlplane_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	// buildLimit bounds the build of Kubernetes on a slow machine.
	buildLimit   = 40 * time.Minute
	commandLimit = 90 * time.Second
)

// plane is a control plane under test.
type plane struct {
	t          *testing.T
	bin, dir   string
	kubeconfig string
}

// newPlane starts a control plane with the given flags.
func newPlane(t *testing.T, flags ...string) *plane {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a control plane")
	}
	p := &plane{t: t, bin: build(t), dir: t.TempDir()}
	p.start(flags...)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("end of the log:\n%s", tailOf(filepath.Join(p.dir, "log")))
		}
		p.control("stop")
	})
	return p
}

// build returns a directory with the programs.
func build(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), buildLimit)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "sh", "build.sh", bin).CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return bin
}

func (p *plane) start(flags ...string) {
	p.t.Helper()
	out := p.control(append([]string{"start"}, flags...)...)
	p.kubeconfig = strings.TrimSpace(out)
}

// control runs controlplane and returns its standard output.
func (p *plane) control(args ...string) string {
	p.t.Helper()
	// The context of a test is over when its cleanup runs.
	ctx := context.WithoutCancel(p.t.Context())
	out, err := p.run(ctx, "controlplane", "", append(args, "--dir", p.dir)...)
	if err != nil {
		p.t.Fatalf("controlplane %v: %v\n%s", args, err, out)
	}
	return out
}

// kubectl runs kubectl, which has to go well, and returns its output.
func (p *plane) kubectl(args ...string) string {
	p.t.Helper()
	out, err := p.tryKubectl("", args...)
	if err != nil {
		p.t.Fatalf("kubectl %v: %v\n%s", args, err, out)
	}
	return out
}

// apply applies a manifest.
func (p *plane) apply(manifest string) {
	p.t.Helper()
	if out, err := p.tryKubectl(manifest, "apply", "-f", "-"); err != nil {
		p.t.Fatalf("apply: %v\n%s", err, out)
	}
}

func (p *plane) tryKubectl(stdin string, args ...string) (string, error) {
	return p.run(p.t.Context(), "kubectl", stdin, append([]string{"--kubeconfig", p.kubeconfig}, args...)...)
}

// run returns standard output, and standard error too when it did not go well.
func (p *plane) run(ctx context.Context, program, stdin string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(p.bin, program), args...)
	var stdout, stderr strings.Builder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String() + stderr.String(), err
	}
	return stdout.String(), nil
}

// count is the number of recorded requests that the flags select.
func (p *plane) count(flags ...string) int {
	p.t.Helper()
	out := p.control(append([]string{"requests", "--count"}, flags...)...)
	n, err := strconv.Atoi(strings.TrimSpace(out))
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

// eventually waits until kubectl prints the wanted text.
func (p *plane) eventually(want string, args ...string) {
	p.t.Helper()
	last := ""
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if last, _ = p.tryKubectl("", args...); strings.Contains(last, want) {
			return
		}
	}
	p.t.Errorf("kubectl %v: want %q, last was\n%s", args, want, last)
}

func tailOf(path string) string {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(raw[max(0, len(raw)-4000):])
}
