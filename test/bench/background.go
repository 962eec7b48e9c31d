package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// background is a packages controller that runs while it is measured.
type background struct {
	cmd *exec.Cmd
	// metrics is the URL that it tells about itself at.
	metrics string
	// ended is closed when it has, err is then why.
	ended chan struct{}
	err   error
	// log has what it said; read only after ended.
	log bytes.Buffer
}

// controller starts a packages controller, which writes below its own directory only.
func (w *world) controller() (*background, error) {
	dir := w.path("controller")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	b := &background{metrics: "http://" + address + "/metrics", ended: make(chan struct{})}
	b.cmd = exec.Command(filepath.Join(w.bin, "kubectl-tazuna"), "packages", "controller", "--log-level", "warn", //nolint:noctx // stop ends it
		"--packages-dir", filepath.Join(dir, "packages"), "--socket", filepath.Join(dir, "s"), "--metrics-bind-address", address,
		"--drift-interval", driftInterval.String())
	b.cmd.Env = w.environment()
	b.cmd.Stderr = &b.log
	if err := b.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		b.err = b.cmd.Wait()
		close(b.ended)
	}()
	return b, nil
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // returns at once
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// gone is an error if the controller has ended by itself.
func (b *background) gone() error {
	select {
	case <-b.ended:
		return fmt.Errorf("the controller ended: %w: %s", errors.Join(b.err, io.ErrUnexpectedEOF), end(b.log.String()))
	default:
		return nil
	}
}

// stop ends it in an orderly way, or after a minute in the other.
func (b *background) stop() {
	_ = b.cmd.Process.Signal(os.Interrupt) // it may have ended
	select {
	case <-b.ended:
	case <-time.After(time.Minute):
		_ = b.cmd.Process.Kill() // the same
		<-b.ended
	}
}

// outcome is what it holds now in memory, and how long its processors have worked.
func (b *background) outcome() (outcome, error) {
	out := outcome{requests: -1, writes: -1}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", b.cmd.Process.Pid))
	if err != nil {
		return out, err
	}
	resident, err := valueOf(bytes.NewReader(status), "VmRSS:")
	if err != nil {
		return out, err
	}
	out.mebibyte = resident / 1024
	out.cpu, err = b.metric("process_cpu_seconds_total")
	return out, err
}

// metric is the value of a metric without labels.
func (b *background) metric(name string) (float64, error) {
	response, err := http.Get(b.metrics) //nolint:noctx // of a process of our own, on loopback
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	return valueOf(response.Body, name)
}

// valueOf finds the number behind a name that a line begins with.
func valueOf(text io.Reader, name string) (float64, error) {
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		if fields := strings.Fields(lines.Text()); len(fields) > 1 && fields[0] == name {
			return strconv.ParseFloat(fields[1], 64)
		}
	}
	return 0, errors.Join(lines.Err(), fmt.Errorf("no line begins with %s", name))
}
