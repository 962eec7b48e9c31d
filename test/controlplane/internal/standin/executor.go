package standin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

const (
	commandParam = "command"

	// execLimit bounds a command run as a local process.
	execLimit = 10 * time.Minute
)

// executor runs commands in, and attaches to, the containers of one Pod.
type executor struct {
	kubelet *kubelet
	pod     *corev1.Pod
}

// ExecInContainer runs a command: a real one where the Pod asks for it, else a
// simulated one.
func (e *executor) ExecInContainer(
	ctx context.Context, _, _, container string, command []string, stdin io.Reader, stdout, stderr io.WriteCloser,
	_ bool, _ <-chan remotecommand.TerminalSize, _ time.Duration,
) error {
	wish, err := ParseWish(e.pod.Annotations)
	if err != nil {
		return err
	}
	streams := newStreams(stdin, stdout, stderr)
	if wish.ExecProcess {
		return e.runProcess(ctx, container, command, streams)
	}
	if code := simulate(ctx, command, streams); code != 0 {
		return exitError(code)
	}
	return nil
}

// AttachContainer shows the log of the container and what is added to it. A
// real one begins with now, but there a client attaches before much is written.
func (e *executor) AttachContainer(
	ctx context.Context, _, _, container string, _ io.Reader, stdout, _ io.WriteCloser,
	_ bool, _ <-chan remotecommand.TerminalSize,
) error {
	if stdout == nil {
		return errors.New("attach without output is not played")
	}
	options := logOptions{follow: true, tail: -1}
	return e.kubelet.writeLog(ctx, e.pod, container, options, stdout)
}

func (e *executor) runProcess(ctx context.Context, container string, command []string, streams streams) error {
	if len(command) == 0 {
		return errors.New("no command given")
	}
	i := slices.IndexFunc(e.pod.Spec.Containers, func(c corev1.Container) bool { return c.Name == container })
	if i < 0 {
		return fmt.Errorf("container %q not found", container)
	}
	dir, err := e.kubelet.processes.scratch()
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // the home's end takes what stays
	ctx, cancel := context.WithTimeout(ctx, execLimit)
	defer cancel()
	env := podEnv(e.pod, &e.pod.Spec.Containers[i])
	if around, variables, found := e.kubelet.processes.around(e.pod.UID); found {
		command, env = around.args(command), variables
	}
	program, err := lookPath(command[0], env)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, program, command[1:]...)
	cmd.Args[0] = command[0]
	cmd.Dir, cmd.Env = dir, env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = streams.in, streams.out, streams.err
	cmd.SysProcAttr = ownGroup()
	cmd.Cancel = func() error { killGroup(cmd); return nil }
	// Input that nobody closes must not keep a command that has ended.
	cmd.WaitDelay = 100 * time.Millisecond
	err = cmd.Run()
	if cmd.ProcessState == nil {
		return fmt.Errorf("run %s: %w", command[0], err)
	}
	if code := exitCode(cmd, err); code != 0 {
		return exitError(int(code))
	}
	return nil
}

// lookPath finds a program on the search path of a container; the last of several
// PATH counts, as it does for the program itself.
func lookPath(program string, env []string) (string, error) {
	if strings.ContainsRune(program, '/') {
		return program, nil
	}
	path := ""
	for _, variable := range env {
		if value, found := strings.CutPrefix(variable, "PATH="); found {
			path = value
		}
	}
	for _, dir := range filepath.SplitList(path) {
		candidate := filepath.Join(dir, program)
		if info, err := os.Stat(candidate); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return candidate, nil
		}
	}
	return "", fmt.Errorf("unable to start container process: exec: %q: executable file not found in $PATH", program)
}

func exitError(code int) error {
	return utilexec.CodeExitError{Err: fmt.Errorf("command terminated with exit code %d", code), Code: code}
}

// forwarder connects port-forward to the port of a Pod's local process or, where
// nothing listens there, to the same port of this machine.
type forwarder struct {
	address string
}

// PortForward copies both ways until either side ends.
func (f forwarder) PortForward(ctx context.Context, _, _ string, port int32, stream io.ReadWriteCloser) error {
	dialer := net.Dialer{Timeout: 5 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(f.address, strconv.Itoa(int(port))))
	if err != nil {
		conn, err = dialer.DialContext(ctx, "tcp", net.JoinHostPort(nodeAddress, strconv.Itoa(int(port))))
	}
	if err != nil {
		return fmt.Errorf("connect to port %d: %w", port, err)
	}
	var copies sync.WaitGroup
	closeBoth := func() { _, _ = conn.Close(), stream.Close() } // one is closed already
	copies.Go(func() { defer closeBoth(); _, _ = io.Copy(conn, stream) })
	copies.Go(func() { defer closeBoth(); _, _ = io.Copy(stream, conn) })
	copies.Wait()
	return nil
}
