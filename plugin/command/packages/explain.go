package packages

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/overview"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

func newExplain(env *Env) *cobra.Command {
	o := &askOptions{}
	cmd := &cobra.Command{
		Use:   "explain NAME",
		Short: "Say at which step an application stands, and what to do next",
		Long: `Goes through the steps of an application (download, load, scheduling, configuration,
hook initialization, apply, workloads) and names the one where it stands, why, and the
one thing to do next.

NAME is ` + nameUsage + `.`,
		Example: fmt.Sprintf("  %[1]s packages explain demo.shop", env.Name),
		Args:    oneArg(nameUsage),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := instanceName(env, args[0])
			if err != nil {
				return err
			}
			v, err := o.overview(cmd.Context(), env, name)
			if err != nil {
				return err
			}
			e := overview.Explain(v, env.Name)
			return o.print(env, e, func(p printers.Options) error { return printers.PackageExplanation(e, p) })
		},
		ValidArgsFunction: completeApplications(env),
	}
	o.addFlags(cmd)
	return cmd
}
