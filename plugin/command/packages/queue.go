package packages

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

func newQueue(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "queue",
		Short: "Look at the task queues of the controller",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newQueueDump(env))
	return cmd
}

// queueOptions are those of "packages queue dump".
type queueOptions struct {
	ask      askOptions
	name     string
	watch    bool
	interval time.Duration
}

func newQueueDump(env *Env) *cobra.Command {
	o := &queueOptions{}
	cmd := &cobra.Command{
		Use:     "dump [NAME]",
		Aliases: []string{"list"},
		Short:   "Show what the controller does for an application, and what waits",
		Long: `Asks the running controller for the task queues of an application and its hooks, or
for all: each task, since when it is there, when it is tried again, and why it failed
the last time. The first task of a queue is the one that runs or is repeated.

NAME is ` + nameUsage + `.`,
		Example: fmt.Sprintf(`  %[1]s packages queue dump --name demo.shop
  %[1]s packages queue dump shop -n demo --watch`, env.Name),
		Args:              atMostName,
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), env, args) },
		ValidArgsFunction: completeInstances(env, &o.ask),
	}
	o.ask.addFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.name, "name", "", "The application, as an argument would name it")
	f.BoolVarP(&o.watch, "watch", "w", false, "Print again whenever tasks come, go or fail, until Ctrl-C")
	f.DurationVar(&o.interval, "interval", time.Second, "How often --watch asks the controller")
	completeFlag(cmd, "name", completeInstances(env, &o.ask))
	return cmd
}

func (o *queueOptions) run(ctx context.Context, env *Env, args []string) error {
	name, err := namedArg(env, args, o.name)
	if err != nil {
		return err
	}
	if o.watch && o.interval <= 0 {
		return fmt.Errorf("--interval: wanted more than 0, found %s", o.interval)
	}
	for last := ""; ; {
		shape, err := o.once(ctx, env, name, last)
		if !o.watch || err != nil {
			return o.ended(ctx, err)
		}
		last = shape
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(o.interval):
		}
	}
}

// ended is the result of watching: that it was ended by the user is no error.
func (o *queueOptions) ended(ctx context.Context, err error) error {
	if o.watch && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// once asks, and prints unless all is as it was the last time, durations aside.
func (o *queueOptions) once(ctx context.Context, env *Env, name, last string) (shape string, err error) {
	client, err := o.ask.client(ctx, env)
	if err != nil {
		return "", err
	}
	all, err := client.Queues(ctx, name)
	if err != nil {
		return "", held(ctx, env, name, err)
	}
	shape = all.Shape()
	if shape == last {
		return shape, nil
	}
	if last != "" {
		fmt.Fprintln(env.Out)
	}
	return shape, o.ask.print(env, all, func(p printers.Options) error { return printers.PackageQueues(all, p) })
}
