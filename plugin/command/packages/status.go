package packages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/debug"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/overview"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

// mostEvents bounds the events of a status; "packages events" has all.
const mostEvents = 10

// statusOptions are those of "packages status".
type statusOptions struct {
	ask   askOptions
	watch watchOptions
}

func newStatus(env *Env) *cobra.Command {
	o := &statusOptions{}
	cmd := &cobra.Command{
		Use:   "status NAME",
		Short: "Show on one screen how an application is",
		Long: `Shows state, message and tip of an application, its conditions, what the current apply
is at and waits for, the task queue with errors and next tries, unmet requirements,
hooks and the last events. What only the controller knows is left out, and told, where
none answers.

NAME is ` + nameUsage + `.`,
		Example: fmt.Sprintf(`  %[1]s packages status demo.shop
  %[1]s packages status shop -n demo --watch`, env.Name),
		Args:              oneArg(nameUsage),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), env, args[0]) },
		ValidArgsFunction: completeApplications(env),
	}
	o.ask.addFlags(cmd)
	o.watch.addFlags(cmd, "something changes", 2*time.Second)
	return cmd
}

func (o *statusOptions) run(ctx context.Context, env *Env, text string) error {
	name, err := instanceName(env, text)
	if err != nil {
		return err
	}
	return o.watch.run(ctx, env, o.ask.output, func(ctx context.Context) (answer, error) {
		v, err := o.ask.overview(ctx, env, name)
		if err != nil {
			return answer{}, err
		}
		shape, err := shapeOf(v)
		return answer{shape, func() error {
			return o.ask.print(env, v, func(p printers.Options) error { return printers.PackageOverview(v, p) })
		}}, err
	})
}

// shapeOf tells two overviews apart, durations aside.
func shapeOf(v *report.Overview) (string, error) {
	still := *v
	still.Age = ""
	still.Queue = nil
	for _, t := range v.Queue {
		t.Enqueued, t.NextRetry, t.Attempts = "", "", 0
		still.Queue = append(still.Queue, t)
	}
	still.LastRuns = map[string]report.LastRun{}
	for hook, run := range v.LastRuns {
		still.LastRuns[hook] = report.LastRun{Error: run.Error} // it may run each minute
	}
	var b bytes.Buffer
	err := printers.Structured(&b, "json", &still)
	return b.String(), err
}

// overview gathers what is known of an application.
func (o *askOptions) overview(ctx context.Context, env *Env, name string) (*report.Overview, error) {
	apps, err := findApplications(ctx, env)
	if err != nil {
		return nil, err
	}
	app, err := apps.get(ctx, name)
	if err != nil {
		return nil, err
	}
	f := overview.Facts{Application: app}
	if f.Events, err = apps.events(ctx, app); err != nil {
		f.Without = append(f.Without, "events: "+err.Error())
	}
	f.Events = f.Events[max(0, len(f.Events)-mostEvents):]
	client, err := o.client(ctx, env)
	if err == nil {
		err = askController(ctx, client, name, &f)
	}
	if err != nil {
		f.Without = append(f.Without, err.Error())
	}
	return overview.Of(f, env.Now()), nil
}

// askController adds what only the controller knows.
func askController(ctx context.Context, client debug.Client, name string, f *overview.Facts) (err error) {
	var none *debug.NotHeldError
	if f.Instance, err = client.Instance(ctx, name); errors.As(err, &none) {
		return errors.New("steps, tasks and hooks: the controller has not taken it up yet")
	}
	if err != nil {
		return err
	}
	if f.Queues, err = client.Queues(ctx, name); err != nil {
		return err
	}
	node, err := client.Node(ctx, name)
	if err == nil {
		f.Node = node
	}
	return nil // one that isn't loaded is no node yet, and its queue says so
}

// completeApplications completes names of the Applications of the cluster.
func completeApplications(env *Env) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		apps, err := findApplications(cmd.Context(), env)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		all, err := apps.list(cmd.Context(), env.Namespace())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []cobra.Completion
		for _, a := range all {
			names = append(names, api.InstanceName(a.Namespace, a.Name))
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
