package packages

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/source"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

// renderOptions are those of "packages render".
type renderOptions struct {
	of          packageOptions
	ask         askOptions
	in          inputOptions
	platform    platformOptions
	maintenance bool
	upgrade     bool
	output      string
}

func newRender(env *Env) *cobra.Command {
	o := &renderOptions{}
	cmd := &cobra.Command{
		Use:   "render [NAME | --bundle PACKAGE [--settings FILE]]",
		Short: "Print the objects that an application is, or that an instance of a package would be",
		Long: `With the name of an application, asks the running controller to render its templates
with the present settings and values. NAME is ` + nameUsage + `.

Without, renders the templates of a package for an instance, without a cluster: objects
and Helm hooks with the labels of the platform. Endpoints, and what templates asked the
cluster for, are told on standard error. The same input gives the same output, unless a
template asks for the time or for chance.

Either way secret values are masked.`,
		Example: fmt.Sprintf(`  # an application that runs
  %[1]s packages render demo.shop

  # the package in this directory, with guessed settings
  %[1]s packages render

  # a published one, as the instance "blog" in the namespace "team-a"
  %[1]s packages render --bundle registry.example.com/packages/web:v1.2.0 --settings blog.yaml -n team-a --instance blog`, env.Name),
		Args: atMostName,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return o.running(cmd, env, args[0])
			}
			if o.ask.given() {
				return errors.New("--socket and --via are for the name of an application, which is not given")
			}
			return o.run(cmd.Context(), env)
		},
		ValidArgsFunction: completeInstances(env, &o.ask),
	}
	o.ask.addWayFlags(cmd)
	o.of.addFlags(cmd)
	o.in.addFlags(cmd)
	o.platform.addFlags(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.maintenance, "maintenance", false, "With the label of the maintenance mode")
	f.BoolVar(&o.upgrade, "upgrade", false, "As an upgrade (.Release.IsUpgrade) and not as an installation")
	f.StringVarP(&o.output, "output", "o", "", "Print as json, yaml, kyaml, name, jsonpath=… or go-template=… (default: a stream of YAML documents)")
	return cmd
}

// running asks the controller for the objects of an application.
func (o *renderOptions) running(cmd *cobra.Command, env *Env, text string) error {
	asked := []string{"socket", "show-secrets", "output"}
	var other error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(asked, f.Name) && cmd.InheritedFlags().Lookup(f.Name) == nil {
			other = fmt.Errorf("--%s is for a package; %q is taken for the name of an application (a package is given with --bundle)", f.Name, text)
		}
	})
	if other != nil {
		return other
	}
	name, err := instanceName(env, text)
	if err != nil && source.IsDirectory(text) {
		return fmt.Errorf("%q is a directory: a package is given with --bundle", text)
	}
	if err != nil {
		return err
	}
	o.ask.secrets = o.in.showSecrets
	client, err := o.ask.client(cmd.Context(), env)
	if err != nil {
		return err
	}
	stream, err := client.Render(cmd.Context(), name)
	if err != nil || o.output == "" {
		_, writeErr := io.WriteString(env.Out, stream)
		return errors.Join(held(cmd.Context(), env, name, err), writeErr)
	}
	loaded, err := object.Load(strings.NewReader(stream), name)
	if err != nil {
		return err
	}
	return o.print(env, loaded.Objects)
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
