package packages

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

func newDump(env *Env) *cobra.Command {
	o, name := &askOptions{}, ""
	cmd := &cobra.Command{
		Use:   "dump [NAME]",
		Short: "Show what the controller knows of applications",
		Long: `Asks the running controller for an application, or for all: version, conditions,
settings and values, images, repository, hooks, and the progress of the last apply.
Secret values are masked unless --show-secrets is given.

NAME is ` + nameUsage + `.`,
		Example: fmt.Sprintf(`  # all applications, a line each
  %[1]s packages dump

  # one, as data
  %[1]s packages dump --name demo.shop -o yaml`, env.Name),
		Args: atMostName,
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := namedArg(env, args, name)
			if err != nil {
				return err
			}
			return dump(cmd.Context(), env, o, wanted)
		},
		ValidArgsFunction: completeInstances(env, o),
	}
	o.addFlags(cmd)
	cmd.Flags().StringVar(&name, "name", "", "The application, as an argument would name it")
	completeFlag(cmd, "name", completeInstances(env, o))
	return cmd
}

func dump(ctx context.Context, env *Env, o *askOptions, name string) error {
	client, err := o.client(ctx, env)
	if err != nil {
		return err
	}
	if name == "" {
		all, err := client.Instances(ctx)
		if err != nil {
			return err
		}
		return o.print(env, all, func(p printers.Options) error { return printers.PackageInstances(all, p) })
	}
	one, err := client.Instance(ctx, name)
	if err != nil {
		return held(ctx, env, name, err)
	}
	return o.print(env, one, func(p printers.Options) error { return printers.PackageInstance(one, p) })
}
