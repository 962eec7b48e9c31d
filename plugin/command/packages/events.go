package packages

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

func newEvents(env *Env) *cobra.Command {
	output := ""
	cmd := &cobra.Command{
		Use:   "events NAME",
		Short: "List the events about an application and its objects",
		Long: `Lists the events about an Application, about the objects of its last apply and what
these make, such as Pods, and about what else is named d8a-INSTANCE-…; the last at the
end.

NAME is ` + nameUsage + `.`,
		Example: fmt.Sprintf("  %[1]s packages events demo.shop", env.Name),
		Args:    oneArg(nameUsage),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := instanceName(env, args[0])
			if err != nil {
				return err
			}
			apps, err := findApplications(cmd.Context(), env)
			if err != nil {
				return err
			}
			app, err := apps.get(cmd.Context(), name)
			if err != nil {
				return err
			}
			events, err := apps.events(cmd.Context(), app)
			if err != nil {
				return err
			}
			all := &report.Events{Items: events}
			return env.print(output, all, func(p printers.Options) error { return printers.PackageEvents(events, p) })
		},
		ValidArgsFunction: completeApplications(env),
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", outputUsage)
	return cmd
}
