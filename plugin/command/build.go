package command

import (
	"bytes"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

type buildOptions struct {
	source      sourceOptions
	showSecrets bool
}

func newBuild(env *Env) *cobra.Command {
	o := &buildOptions{}
	cmd := &cobra.Command{
		Use:   "build [-f FILE|DIR|-] [-k DIR]",
		Short: "Print the objects that the files stand for",
		Long: `Builds the manifests and prints their objects as YAML, without asking a cluster:
objects without a namespace have none yet. Values of Secrets are masked unless
--show-secrets is given.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), env) },
	}
	o.source.addFlags(cmd)
	cmd.Flags().BoolVar(&o.showSecrets, "show-secrets", false, "Don't mask the values of Secrets")
	return cmd
}

func (o *buildOptions) run(ctx context.Context, env *Env) error {
	src, err := o.source.read(env)
	if err != nil {
		return err
	}
	results, rules, err := env.buildAll(ctx, src)
	if err != nil {
		return err
	}
	if err := checkUnique(ctx, results); err != nil {
		return err
	}
	var out bytes.Buffer
	for _, r := range results {
		for _, w := range r.Warnings {
			env.warn(w.String())
		}
		if !src.selected[r.Manifest] {
			continue
		}
		for _, obj := range r.Objects {
			mask := object.DefaultMasker()
			mask.Rules, mask.Show = append(mask.Rules, plan.MaskRulesFor(&rules, obj.Body)...), o.showSecrets
			text, err := object.EncodeYAML(mask.One(obj.Body))
			if err != nil {
				return fmt.Errorf("print %s: %w", obj.Ref(), err)
			}
			out.WriteString("---\n")
			out.Write(text)
		}
	}
	_, err = env.Out.Write(out.Bytes())
	return err
}
