package packages

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/module"
)

func newModule(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "module",
		Short: "Say which modules packages may count on",
		Long: `On a cluster without Deckhouse a module is only a statement: "this is here, in this
version". Applications whose package requires it are installed once it is made, and
suspended once it is taken back. kubectl get modules.deckhouse.io lists them.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newModuleEnable(env), newModuleDisable(env))
	return cmd
}

func newModuleEnable(env *Env) *cobra.Command {
	version := ""
	cmd := &cobra.Command{
		Use:   "enable NAME",
		Short: "Say that a module is here",
		Args:  oneArg("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if version != "" && !bundle.IsVersion(version) {
				return fmt.Errorf("--version: wanted a version such as v1.2.3, found %q", version)
			}
			return withModules(cmd.Context(), env, func(ctx context.Context, m *module.Modules) error {
				if err := m.Enable(ctx, args[0], version); err != nil {
					return err
				}
				fmt.Fprintf(env.Out, "module.deckhouse.io/%s enabled\n", args[0])
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&version, "version", "", "Its version, such as v1.2.3; without it every constraint on its version is unmet")
	return cmd
}

func newModuleDisable(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "disable NAME",
		Short: "Say that a module is not here any more",
		Long: `Takes the statement back that a module is here. Applications that require it are
uninstalled, with their volumes unless those are kept by helm.sh/resource-policy, and
stay as Suspended.`,
		Args: oneArg("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withModules(cmd.Context(), env, func(ctx context.Context, m *module.Modules) error {
				found, err := m.Disable(ctx, args[0])
				if err != nil {
					return err
				}
				text := "disabled"
				if !found {
					text = "disabled (was not enabled)"
				}
				fmt.Fprintf(env.Out, "module.deckhouse.io/%s %s\n", args[0], text)
				return nil
			})
		},
	}
}

func withModules(ctx context.Context, env *Env, do func(context.Context, *module.Modules) error) error {
	client, err := env.Connect()
	if err != nil {
		return err
	}
	return do(ctx, &module.Modules{Cluster: client})
}
