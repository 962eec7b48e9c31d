package packages

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/debug"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/journal"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

// followWait is how long one question waits for a line.
const followWait = 20 * time.Second

// logsOptions are those of "packages logs".
type logsOptions struct {
	ask       askOptions
	follow    bool
	since     time.Duration
	tail      int
	workloads bool
	output    string
}

func newLogs(env *Env) *cobra.Command {
	o := &logsOptions{}
	cmd := &cobra.Command{
		Use:   "logs NAME",
		Short: "Show what the controller says of an application, or what its Pods say",
		Long: `Prints the last lines of the controller's log about an application, what its hooks wrote
included, the last at the end. They are those of the controller that leads, since it
began; of an application that has been removed, too, for some time.

With --workloads prints the end of the log of each container of its Pods instead, of one
that has crashed that of the run before. What stands in its Secrets is masked there.

NAME is ` + nameUsage + `.`,
		Example: fmt.Sprintf(`  %[1]s packages logs demo.shop --since 10m
  %[1]s packages logs shop -n demo --follow
  %[1]s packages logs demo.shop --workloads`, env.Name),
		Args:              oneArg(nameUsage),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), env, args[0]) },
		ValidArgsFunction: completeApplications(env),
	}
	o.ask.addWayFlags(cmd)
	f := cmd.Flags()
	f.BoolVarP(&o.follow, "follow", "f", false, "Go on with what is said from now on, until Ctrl-C")
	f.DurationVar(&o.since, "since", 0, "Only what was said in this time, such as 10m (default all that is kept)")
	f.IntVar(&o.tail, "tail", -1, "The most lines; with --workloads of each container (default all that are kept, and 20)")
	f.BoolVar(&o.workloads, "workloads", false, "The logs of its Pods, not the controller's")
	f.StringVarP(&o.output, "output", "o", "", outputUsage)
	return cmd
}

func (o *logsOptions) check() error {
	switch {
	case o.since < 0:
		return fmt.Errorf("--since: wanted more than 0, found %s", o.since)
	case o.follow && o.workloads:
		return errors.New("--follow is for the lines of the controller: kubectl logs -f follows Pods")
	case o.since > 0 && o.workloads:
		return errors.New("--since is for the lines of the controller")
	case o.follow && o.output != "":
		return errors.New("--follow prints lines as they come: it can't be used with -o")
	}
	return nil
}

func (o *logsOptions) run(ctx context.Context, env *Env, text string) error {
	if err := o.check(); err != nil {
		return err
	}
	name, err := instanceName(env, text)
	if err != nil {
		return err
	}
	if o.workloads {
		lines, err := workloadLogs(ctx, env, name, o.tail)
		if err != nil {
			return err
		}
		return o.print(env, lines)
	}
	client, err := o.ask.client(ctx, env)
	if err != nil {
		return err
	}
	query := journal.Query{Last: max(o.tail, 0)}
	if o.since > 0 {
		query.Since = env.Now().Add(-o.since)
	}
	logs, err := client.Logs(ctx, name, query, 0)
	if err != nil {
		return held(ctx, env, name, err)
	}
	if o.tail == 0 {
		logs.Items = []report.LogLine{}
	}
	if err := o.print(env, logs); err != nil || !o.follow {
		return err
	}
	return o.goOn(ctx, env, client, name, logs.Next)
}

// goOn prints what is said from a number on, until the context ends.
func (o *logsOptions) goOn(ctx context.Context, env *Env, client debug.Client, name string, after uint64) error {
	for {
		logs, err := client.Logs(ctx, name, journal.Query{After: after}, followWait)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		case logs.Next < after:
			return errors.New("the controller has begun anew, or another one leads: its lines have other numbers")
		}
		if logs.Missed {
			env.warn("lines that came too fast are not shown")
		}
		if err := o.print(env, logs); err != nil {
			return err
		}
		after = logs.Next
	}
}

func (o *logsOptions) print(env *Env, logs *report.Logs) error {
	return env.print(o.output, logs, func(p printers.Options) error { return printers.PackageLogs(logs.Items, p) })
}
