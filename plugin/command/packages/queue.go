package packages

import (
	"context"
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
	ask   askOptions
	name  string
	watch watchOptions
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
	o.watch.addFlags(cmd, "tasks come, go or fail", time.Second)
	completeFlag(cmd, "name", completeInstances(env, &o.ask))
	return cmd
}

func (o *queueOptions) run(ctx context.Context, env *Env, args []string) error {
	name, err := namedArg(env, args, o.name)
	if err != nil {
		return err
	}
	return o.watch.run(ctx, env, o.ask.output, func(ctx context.Context) (answer, error) {
		client, err := o.ask.client(ctx, env)
		if err != nil {
			return answer{}, err
		}
		all, err := client.Queues(ctx, name)
		if err != nil {
			return answer{}, held(ctx, env, name, err)
		}
		return answer{all.Shape(), func() error {
			return o.ask.print(env, all, func(p printers.Options) error { return printers.PackageQueues(all, p) })
		}}, nil
	})
}
