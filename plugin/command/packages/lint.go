package packages

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/build"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/source"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/lint"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

type lintOptions struct {
	of       packageOptions
	in       inputOptions
	platform platformOptions
	hooks    hookOptions
	strict   bool
	output   string
}

func newLint(env *Env) *cobra.Command {
	o := &lintOptions{}
	cmd := &cobra.Command{
		Use:   "lint PACKAGE",
		Short: "Say what is wrong with a package",
		Long: `Reads everything in a package, renders it, asks its hooks for their configuration, and
prints all that is wrong, as FILE:LINE: SEVERITY: TEXT (RULE). The exit code is 1 if
there is an error; with --strict also if there is a warning. The hooks are run, with
--config or hook config; see docs/packages.md for the rules.`,
		Args:              oneArg("PACKAGE"),
		ValidArgsFunction: completeDirectory,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.of.bundle = args[0]
			return o.run(cmd.Context(), env)
		},
	}
	o.of.addInstanceFlag(cmd)
	o.of.addRegistryFlags(cmd)
	o.in.addSettingsFlag(cmd)
	o.platform.addFlags(cmd)
	o.hooks.addFlags(cmd)
	cmd.Flags().BoolVar(&o.strict, "strict", false, "Fail for warnings, too")
	cmd.Flags().StringVarP(&o.output, "output", "o", "", outputUsage)
	return cmd
}

func (o *lintOptions) run(ctx context.Context, env *Env) error {
	p, findings, err := o.open(ctx, env)
	if err != nil {
		return err
	}
	defer env.close(p)
	settings, err := o.in.read(env)
	if err != nil {
		return err
	}
	request, err := o.platform.request(env, &o.of)
	if err != nil {
		return err
	}
	loader, err := o.hooks.loader(env, &o.of)
	if err != nil {
		return err
	}
	result, err := lint.Inspect(ctx, p.Bundle, lint.Inspection{
		Dir: p.Dir, Findings: findings, Settings: settings, Loader: loader, Request: request, Namespaced: builtin,
	})
	if err != nil {
		return err
	}
	if result.Package == "" {
		result.Package = o.of.bundle
	}
	err = env.print(o.output, result, func(to printers.Options) error { return printers.PackageFindings(result, to) })
	if err != nil {
		return err
	}
	if result.Errors > 0 || o.strict && result.Warnings > 0 {
		return env.Exit(Failed, nil)
	}
	return nil
}

// open reads a directory whatever is wrong with it. An image has to be in order to be
// one.
func (o *lintOptions) open(ctx context.Context, env *Env) (*source.Package, []bundle.Finding, error) {
	client, err := o.of.registry.client(env)
	if err != nil {
		return nil, nil, err
	}
	opener := source.Opener{Client: client}
	if source.IsDirectory(o.of.bundle) {
		return opener.Inspect(o.of.bundle)
	}
	p, err := opener.Open(ctx, o.of.bundle)
	if err != nil {
		return nil, nil, fmt.Errorf("lint: %w", err)
	}
	return p, p.Warnings, nil
}

// builtin knows the scope of the kinds that every cluster has.
func builtin(gk schema.GroupKind) (namespaced, known bool) {
	namespaced, known, err := build.Builtin{}.Namespaced(gk, "")
	return namespaced, known && err == nil
}
