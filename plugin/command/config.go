package command

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

func newConfig(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Look at the rules of the diff and at what they decide",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConfigDefaults(env), newConfigExplain(env))
	return cmd
}

func newConfigDefaults(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "defaults",
		Short: "Print the built-in rules as a kapp Config document",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(env.Out, config.DefaultKappConfigText())
			return err
		},
	}
}

// explainOptions are those of config explain.
type explainOptions struct {
	source sourceOptions
	policy policyOptions
	output string
	show   bool
}

func newConfigExplain(env *Env) *cobra.Command {
	o := &explainOptions{}
	cmd := &cobra.Command{
		Use:   "explain KIND/NAME [PATH]",
		Short: "Say for every path of an object why it is, or isn't, a difference",
		Example: fmt.Sprintf(`  # who decides the replicas of this Deployment
  %s config explain deployment/web .spec.replicas`, env.Name),
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), env, args) },
	}
	o.source.addFlags(cmd)
	o.policy.addFlags(cmd)
	cmd.Flags().StringVarP(&o.output, "output", "o", "", "Print as json, yaml, kyaml, jsonpath=… or go-template=…")
	cmd.Flags().BoolVar(&o.show, "show-secrets", false, "Don't mask the values of Secrets")
	return cmd
}

func (o *explainOptions) run(ctx context.Context, env *Env, args []string) error {
	kind, name, ok := strings.Cut(args[0], "/")
	if !ok || kind == "" || name == "" {
		return fmt.Errorf("wanted KIND/NAME, found %q", args[0])
	}
	path := ""
	if len(args) == 2 {
		path = args[1]
	}
	p, err := env.prepare(ctx, &o.source)
	if err != nil {
		return err
	}
	result, _, err := p.plan(ctx, env, planOptions{policy: o.policy.policy(), refresh: true, explained: true})
	if err != nil {
		return err
	}
	view := viewOptions{showSecrets: o.show, rules: p.rules}
	list := printers.NewExplanationList(nil)
	for _, obj := range result.Select(plan.Selection{Kinds: []string{kind}, Names: []string{name}}) {
		list.Items = append(list.Items, result.Explain(obj, view.baseMasker()).Under(path))
	}
	if len(list.Items) == 0 {
		return fmt.Errorf("the files name no %s: wanted one of the kinds and names that build prints", args[0])
	}
	if o.output != "" {
		return printers.Structured(env.Out, o.output, list)
	}
	opts := printers.DefaultOptions(env.Out)
	if opts.Color, err = env.colors(env.Out); err != nil {
		return err
	}
	return list.Print(opts)
}
