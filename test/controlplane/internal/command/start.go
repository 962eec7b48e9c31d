package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/control"
	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/home"
)

const (
	startTimeout = time.Minute
	startPoll    = 25 * time.Millisecond
	watchPoll    = 200 * time.Millisecond
	// startCall bounds one look at the phase while starting.
	startCall = time.Second
)

func newStart(open opener) *cobra.Command {
	opts := cluster.DefaultOptions()
	timeout := startTimeout
	cmd := &cobra.Command{
		Use:   "start",
		Short: "Start in the background and print the path of the administrator's kubeconfig",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := open()
			if err != nil {
				return err
			}
			opts.Home = h
			ctx, cancel := context.WithTimeoutCause(cmd.Context(), timeout, fmt.Errorf("not up within %s", timeout))
			defer cancel()
			if err := start(ctx, opts, cmd.ErrOrStderr()); err != nil {
				return fmt.Errorf("%w\nlast lines of the log:\n%s", err, tail(h.Log()))
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), h.Kubeconfig())
			return err
		},
	}
	bindOptions(cmd.Flags(), &opts)
	cmd.Flags().DurationVar(&timeout, "timeout", timeout, "how long to wait until it is up")
	return cmd
}

// start makes sure that a control plane is up in the home of the options.
func start(ctx context.Context, opts cluster.Options, progress io.Writer) error {
	began := time.Now()
	ended := make(chan error, 1)
	pid, err := runningToStay(ctx, opts.Home)
	if err != nil {
		return err
	}
	if pid == 0 {
		err = launch(opts, ended)
	} else {
		go watch(ctx, opts.Home, pid, ended)
	}
	if err != nil {
		return err
	}
	if err := waitUp(ctx, opts.Home, ended, progress); err != nil {
		if pid == 0 {
			// What did not come up must not stay in the background.
			err = errors.Join(err, stop(context.WithoutCancel(ctx), opts.Home, true))
		}
		return err
	}
	_, _ = fmt.Fprintf(progress, "up after %.1fs\n", time.Since(began).Seconds()) // progress is a courtesy
	return nil
}

// runningToStay returns the process that runs in the home, or 0. One that is
// stopping is waited for.
func runningToStay(ctx context.Context, h home.Home) (int, error) {
	for {
		pid, err := h.Running()
		if err != nil || pid == 0 || currentPhase(ctx, h) != control.PhaseStopping {
			return pid, err
		}
		select {
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		case <-time.After(startPoll):
		}
	}
}

// watch tells when a process that another one started has ended.
func watch(ctx context.Context, h home.Home, pid int, ended chan<- error) {
	for ctx.Err() == nil {
		if running, err := h.Running(); err == nil && running != pid {
			ended <- errors.New("the control plane ended")
			return
		}
		time.Sleep(watchPoll)
	}
}

// launch runs this program apart from our terminal, so that it outlives us.
func launch(opts cluster.Options, ended chan<- error) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	log, err := os.OpenFile(opts.Home.Log(), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	defer func() { _ = log.Close() }() // the child has its own
	cmd := exec.Command(program, runArgs(opts)...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start in the background: %w", err)
	}
	go func() {
		err := cmd.Wait()
		if err == nil {
			err = errors.New("exit status 0")
		}
		ended <- fmt.Errorf("the control plane ended: %w", err)
	}()
	return nil
}

// waitUp waits for the phase up and tells each new phase.
func waitUp(ctx context.Context, h home.Home, ended <-chan error, progress io.Writer) error {
	last := ""
	for {
		phase := currentPhase(ctx, h)
		if phase != "" && phase != last && phase != control.PhaseUp {
			_, _ = fmt.Fprintln(progress, phase) // progress is a courtesy
		}
		if phase == control.PhaseUp {
			return nil
		}
		last = phase
		select {
		case err := <-ended:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(startPoll):
		}
	}
}

// currentPhase is empty as long as the endpoint does not answer.
func currentPhase(ctx context.Context, h home.Home) string {
	state, err := h.LoadState()
	if err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, startCall)
	defer cancel()
	status, err := control.NewClient(state).Status(ctx)
	if err != nil {
		return ""
	}
	return status.Phase
}
