package command

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/build"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
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
		Long: `Builds the manifests and prints their objects as YAML. Objects have the namespaces
that their manifests give them; others have none yet. Values of Secrets are masked
unless --show-secrets is given, and values of generated Secrets are only asked for
then.

A cluster is asked only where a chart is rendered: what it serves, and what the
chart looks up. With --offline, or without a context, charts see what Helm takes
for the default.`,
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
	src.unresolved = !o.showSecrets
	src.all = slices.DeleteFunc(src.all, func(m build.Manifest) bool { return !src.selected[m.Name] })
	if src.client, err = env.clusterForCharts(o.source.offline); err != nil {
		return err
	}
	if src.client != nil && guard(src, src.client) != nil {
		// Printing objects does no harm, but the wrong cluster isn't asked.
		src.client = nil
		if slices.ContainsFunc(src.all, func(m build.Manifest) bool { return build.HasReleases(m.Type) }) {
			env.note("note: the context is none that the file is meant for: charts are rendered without a cluster")
		}
	}
	results, rules, err := env.buildAll(ctx, src)
	if err != nil {
		return err
	}
	if results, err = placed(ctx, results); err != nil {
		return err
	}
	if err := disputes(results); err != nil {
		return err
	}
	var out bytes.Buffer
	for _, r := range results {
		for _, w := range r.Warnings {
			env.warn(w.String())
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

// clusterForCharts is the cluster of the context, nil where there is none or
// nothing is to be asked.
func (e *Env) clusterForCharts(offline bool) (*cluster.Client, error) {
	if offline {
		return nil, nil
	}
	loader := e.flags.ToRawKubeConfigLoader()
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	named := func(flag *string) bool { return flag != nil && *flag != "" }
	if raw.CurrentContext == "" && !named(e.flags.Context) && !named(e.flags.APIServer) {
		return nil, nil
	}
	return e.connect()
}

// placed gives objects the namespaces of their manifests, as far as kinds are
// known without a cluster, and refuses objects that are there twice. The
// namespace that a context would fill in is not known.
func placed(ctx context.Context, results []build.Result) ([]build.Result, error) {
	return build.Finish(ctx, results, build.Builtin{}, "")
}
