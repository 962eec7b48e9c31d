package packages

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

// renderOptions are those of "packages render".
type renderOptions struct {
	of          packageOptions
	in          inputOptions
	platform    platformOptions
	maintenance bool
	upgrade     bool
	output      string
}

func newRender(env *Env) *cobra.Command {
	o := &renderOptions{}
	cmd := &cobra.Command{
		Use:   "render [--bundle PACKAGE] [--settings FILE]",
		Short: "Print the objects that an instance of a package would be",
		Long: `Renders the templates of a package for an instance, without a cluster: objects and
Helm hooks with the labels of the platform, masked. Endpoints, and what templates
asked the cluster for, are told on standard error. The same input gives the same
output, unless a template asks for the time or for chance.`,
		Example: fmt.Sprintf(`  # the package in this directory, with guessed settings
  %[1]s packages render

  # a published one, as the instance "blog" in the namespace "team-a"
  %[1]s packages render --bundle registry.example.com/packages/web:v1.2.0 --settings blog.yaml -n team-a --instance blog`, env.Name),
		Args: noArg,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), env) },
	}
	o.of.addFlags(cmd)
	o.in.addFlags(cmd)
	o.platform.addFlags(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.maintenance, "maintenance", false, "With the label of the maintenance mode")
	f.BoolVar(&o.upgrade, "upgrade", false, "As an upgrade (.Release.IsUpgrade) and not as an installation")
	f.StringVarP(&o.output, "output", "o", "", "Print as json, yaml, kyaml, name, jsonpath=… or go-template=… (default: a stream of YAML documents)")
	return cmd
}

func (o *renderOptions) run(ctx context.Context, env *Env) error {
	p, err := o.of.open(ctx, env)
	if err != nil {
		return err
	}
	defer env.close(p)
	prepared, err := o.in.whole(ctx, env, p)
	if err != nil {
		return err
	}
	request, err := o.platform.request(env, &o.of)
	if err != nil {
		return err
	}
	o.platform.warnOfRequirements(env, p.Definition.Requirements)
	request.Maintenance = o.maintenance
	if o.upgrade {
		request.Revision = 2
	}
	result, err := prepared.Render(ctx, request)
	if err != nil {
		return err
	}
	for _, w := range result.Warnings {
		env.warn(w.String())
	}
	for _, l := range result.Lookups {
		env.warn(fmt.Sprintf("lookup of %s %s %s/%s: no cluster is asked, so nothing was found", l.APIVersion, l.Kind, l.Namespace, l.Name))
	}
	for _, e := range result.Endpoints {
		env.note("endpoint: %s  %s", e.URL, e.Description)
	}
	return o.print(env, shownObjects(result.All(), o.in.masker(), secrets(prepared)))
}

func (o *renderOptions) print(env *Env, objects []object.Object) error {
	if o.output != "" {
		list := report.NewObjects()
		for _, obj := range objects {
			list.Items = append(list.Items, obj.Body)
		}
		return printers.Structured(env.Out, o.output, list)
	}
	return writeObjects(env.Out, objects)
}
