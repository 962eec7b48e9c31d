package packages

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/debug"
)

// diffOptions are those of "packages diff".
type diffOptions struct {
	ask     askOptions
	in      inputOptions
	version string
	view    PlanView
}

func newDiff(env *Env) *cobra.Command {
	o := &diffOptions{view: env.PlanView()}
	cmd := &cobra.Command{
		Use:   "diff NAME [--version V] [--settings FILE]",
		Short: "Show what an apply or an upgrade of an application would change",
		Long: `Has the controller render an application and compare it with the cluster: as it is now,
with another version of its package, or with other settings. The comparison is that of
"diff", by the rules of packages. Hooks are not run: values that they have set so far
count, which a note says. Requirements that the version has and the cluster doesn't
meet are a warning. Nothing is written.

Notes tell whether an upgrade is due at all: where none is, what others changed in
objects stays.

NAME is ` + nameUsage + `.

Exit codes: 0 no difference, 1 differences, 2 an error.`,
		Example: fmt.Sprintf(`  # what somebody changed, and the next upgrade takes back
  %[1]s packages diff demo.shop

  # an upgrade
  %[1]s packages diff demo.shop --version v1.3.0

  # other settings
  %[1]s packages diff demo.shop --settings shop.yaml`, env.Name),
		Args:              oneArg(nameUsage),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), env, args[0]) },
		ValidArgsFunction: completeApplications(env),
	}
	o.ask.addWayFlags(cmd)
	o.view.AddFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.version, "version", "", "The version of the package (default: that of the Application)")
	f.StringVar(&o.in.settings, "settings", "", "A file (YAML or JSON) in the place of spec.settings of the Application; - is standard input")
	_ = cmd.MarkFlagFilename("settings", "yaml", "yml", "json") // an error is only that there is no such flag
	completeFlag(cmd, "version", completeVersions(env))
	return cmd
}

func (o *diffOptions) run(ctx context.Context, env *Env, text string) error {
	if err := o.view.Validate(); err != nil {
		return o.view.Fail(err)
	}
	wanted := debug.Wanted{Version: o.version}
	var err error
	if wanted.Settings, err = o.in.read(env); err != nil {
		return o.view.Fail(err)
	}
	name, err := instanceName(env, text)
	if err != nil {
		return o.view.Fail(err)
	}
	o.ask.secrets = o.view.Unmasked()
	client, err := o.ask.client(ctx, env)
	if err != nil {
		return o.view.Fail(err)
	}
	r, err := client.Diff(ctx, name, wanted, o.view.Whole())
	if err != nil {
		return o.view.Fail(held(ctx, env, name, err))
	}
	return o.view.Show(ctx, r)
}

// completeVersions completes versions of the package of the application that is named.
func completeVersions(env *Env) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		versions, err := versionsOf(cmd.Context(), env, args[0])
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return versions, cobra.ShellCompDirectiveNoFileComp
	}
}

// versionsOf lists the versions of an application's package in its repository.
func versionsOf(ctx context.Context, env *Env, text string) ([]string, error) {
	name, err := instanceName(env, text)
	if err != nil {
		return nil, err
	}
	apps, err := findApplications(ctx, env)
	if err != nil {
		return nil, err
	}
	app, err := apps.get(ctx, name)
	if err != nil {
		return nil, err
	}
	m, err := apps.client.Mapping(ctx, schema.GroupKind{Group: api.Group, Kind: api.KindApplicationPackageVersion}, api.GroupVersion().Version)
	if err != nil {
		return nil, err
	}
	selector := fmt.Sprintf("%s=%s,%s=%s", api.LabelPackage, app.Spec.PackageName, api.LabelRepository, app.Spec.Repository())
	found, err := apps.client.List(ctx, m, cluster.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil, err
	}
	var versions []string
	for _, u := range found {
		version, _, _ := unstructured.NestedString(u.Object, "spec", "packageVersion")
		versions = append(versions, version)
	}
	return versions, nil
}
