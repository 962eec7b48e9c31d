package command

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/control"
	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/home"
)

const (
	stopGrace = 20 * time.Second
	stopKill  = 10 * time.Second
	stopPoll  = 20 * time.Millisecond
)

func newStop(open opener) *cobra.Command {
	var kill bool
	cmd := &cobra.Command{
		Use:   "stop",
		Short: "Stop the control plane; its data stays for the next start",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := open()
			if err != nil {
				return err
			}
			return stop(cmd.Context(), h, kill)
		},
	}
	cmd.Flags().BoolVar(&kill, "kill", false, "kill at once, as a crash would")
	return cmd
}

// stop ends the process that holds the lock and waits until it is gone.
func stop(ctx context.Context, h home.Home, kill bool) error {
	pid, err := h.Running()
	if err != nil || pid == 0 {
		return err
	}
	if !kill {
		if err := signalAndWait(ctx, h, pid, syscall.SIGTERM, stopGrace); err == nil {
			return nil
		}
	}
	return signalAndWait(ctx, h, pid, syscall.SIGKILL, stopKill)
}

func signalAndWait(ctx context.Context, h home.Home, pid int, signal syscall.Signal, limit time.Duration) error {
	if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("signal process %d: %w", pid, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("process %d did not end within %s", pid, limit))
	defer cancel()
	for {
		running, err := h.Running()
		if err == nil && running != pid {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(stopPoll):
		}
	}
}

func newStatus(open opener) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Print the process id and the phase as JSON; the phase is \"stopped\" when none runs",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := open()
			if err != nil {
				return err
			}
			pid, err := h.Running()
			if err != nil {
				return err
			}
			status := control.Status{PID: pid, Phase: "stopped"}
			if pid != 0 {
				status.Phase = currentPhase(cmd.Context(), h)
			}
			return printJSON(cmd.OutOrStdout(), status)
		},
	}
}
