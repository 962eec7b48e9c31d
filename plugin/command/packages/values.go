package packages

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

type valuesOptions struct {
	of           packageOptions
	in           inputOptions
	settingsOnly bool
	output       string
}

func newValues(env *Env) *cobra.Command {
	o := &valuesOptions{}
	cmd := &cobra.Command{
		Use:   "values [--bundle PACKAGE] [--settings FILE]",
		Short: "Print the settings or values of an instance as its templates see them",
		Long: `Lays the settings over the defaults of the schemas, holds the result against them, and
prints it: .Values, or with --settings-only the effective settings. Values that the
schema marks as secret (format: password, writeOnly, x-secret) are masked.`,
		Args: noArg,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), env) },
	}
	o.of.addPackageFlags(cmd)
	o.in.addFlags(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.settingsOnly, "settings-only", false, "Print the effective settings instead of all values")
	f.StringVarP(&o.output, "output", "o", "yaml", "Print as json, yaml, kyaml, jsonpath=… or go-template=…")
	return cmd
}

func (o *valuesOptions) run(ctx context.Context, env *Env) error {
	p, err := o.of.open(ctx, env)
	if err != nil {
		return err
	}
	defer env.close(p)
	prepared, err := o.in.whole(ctx, env, p)
	if err != nil {
		return err
	}
	shown := prepared.Values
	if o.settingsOnly {
		shown = prepared.Settings
	}
	if !o.in.showSecrets {
		shown = prepared.Sources.Schemas.Mask(shown)
	}
	return printers.Structured(env.Out, o.output, shown)
}
