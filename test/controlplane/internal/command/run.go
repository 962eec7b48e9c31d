package command

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/cluster"
)

func newRun(open opener) *cobra.Command {
	opts := cluster.DefaultOptions()
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run in the foreground until interrupted",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := open()
			if err != nil {
				return err
			}
			opts.Home = h
			err = runForeground(cmd.Context(), opts)
			if errors.Is(err, cluster.ErrMaxAge) {
				// As was asked for: a note for the log, no failure.
				_, err = fmt.Fprintln(cmd.ErrOrStderr(), "controlplane: ended, as it "+err.Error())
			}
			return err
		},
	}
	bindOptions(cmd.Flags(), &opts)
	return cmd
}

// runForeground runs until a signal; a second signal ends at once.
func runForeground(ctx context.Context, opts cluster.Options) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return cluster.Run(ctx, opts)
}

func bindOptions(flags *pflag.FlagSet, opts *cluster.Options) {
	flags.BoolVar(&opts.Fsync, "fsync", opts.Fsync, "let etcd flush to disk, as a real one does")
	flags.BoolVar(&opts.WithoutControllers, "without-controllers", opts.WithoutControllers,
		"run neither kube-controller-manager nor kube-scheduler")
	flags.IntVar(&opts.Nodes, "nodes", opts.Nodes, "number of stand-in nodes (default 2, or 0 without controllers)")
	flags.StringArrayVar(&opts.APIServerFlags, "apiserver-flag", nil, "flag of kube-apiserver as name=value (repeatable)")
	flags.DurationVar(&opts.MaxAge, "max-age", opts.MaxAge, "end by itself after this time; 0 means never")
}

// runArgs is the command line that bindOptions reads back as the same options.
func runArgs(opts cluster.Options) []string {
	args := []string{
		"run", "--dir", opts.Home.Root(),
		"--fsync=" + strconv.FormatBool(opts.Fsync),
		"--without-controllers=" + strconv.FormatBool(opts.WithoutControllers),
		"--nodes", strconv.Itoa(opts.Nodes),
		"--max-age", opts.MaxAge.String(),
	}
	for _, flag := range opts.APIServerFlags {
		args = append(args, "--apiserver-flag", flag)
	}
	return args
}
