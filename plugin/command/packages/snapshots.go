package packages

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

func newSnapshots(env *Env) *cobra.Command {
	o := &askOptions{}
	cmd := &cobra.Command{
		Use:   "snapshots NAME",
		Short: "Show what the hooks of an application see of the cluster",
		Long: `Asks the running controller for the snapshots of an application's hooks: for each
hook and each of its kubernetes bindings the objects that the hook gets when it runs,
and how many have changed since the start and since its last run. What hooks take out
of Secrets is masked unless --show-secrets is given. "packages hooks run" takes a file
with such an answer (-o yaml) as its objects.

NAME is ` + nameUsage + `.`,
		Example: fmt.Sprintf(`  %[1]s packages snapshots demo.shop
  %[1]s packages snapshots shop -n demo -o yaml`, env.Name),
		Args: oneArg(nameUsage),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := instanceName(env, args[0])
			if err != nil {
				return err
			}
			client, err := o.client(cmd.Context(), env)
			if err != nil {
				return err
			}
			all, err := client.Snapshots(cmd.Context(), name)
			if err != nil {
				return held(cmd.Context(), env, name, err)
			}
			return o.print(env, all, func(p printers.Options) error { return printers.PackageSnapshots(*all, p) })
		},
		ValidArgsFunction: completeInstances(env, o),
	}
	o.addFlags(cmd)
	return cmd
}
