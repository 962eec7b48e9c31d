package packages

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/overview"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

func newList(env *Env) *cobra.Command {
	all, output := false, ""
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the applications of a namespace or of the cluster",
		Long: `Lists Applications: package, wanted and installed version, and state. Only the cluster
is asked, no controller.`,
		Example: fmt.Sprintf("  %[1]s packages list -A", env.Name),
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), env, all, output) },
	}
	cmd.Flags().BoolVarP(&all, "all-namespaces", "A", false, "Those of all namespaces")
	cmd.Flags().StringVarP(&output, "output", "o", "", outputUsage)
	return cmd
}

func list(ctx context.Context, env *Env, all bool, output string) error {
	apps, err := findApplications(ctx, env)
	if err != nil {
		return err
	}
	namespace, _ := apps.client.Namespace()
	if all {
		namespace = ""
	}
	found, err := apps.list(ctx, namespace)
	if err != nil {
		return err
	}
	lines := &report.Applications{Items: []report.ApplicationLine{}}
	for _, a := range found {
		lines.Items = append(lines.Items, overview.Line(a, env.Now()))
	}
	return env.print(output, lines, func(p printers.Options) error { return printers.Applications(lines, p) })
}
