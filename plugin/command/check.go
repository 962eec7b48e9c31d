package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/build"
)

func newCheck(env *Env) *cobra.Command {
	o := &sourceOptions{}
	cmd := &cobra.Command{
		Use:   "check [-f FILE|DIR|-] [-k DIR]",
		Short: "Check that the files are right and build, without a cluster",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return check(cmd.Context(), env, o) },
	}
	o.addFlags(cmd)
	return cmd
}

func check(ctx context.Context, env *Env, o *sourceOptions) error {
	src, err := o.read(env)
	if err != nil {
		return err
	}
	results, _, err := env.buildAll(ctx, src)
	if err != nil {
		return err
	}
	if err := checkUnique(ctx, results); err != nil {
		return err
	}
	objects := 0
	for _, r := range results {
		objects += len(r.Objects)
		for _, w := range r.Warnings {
			env.warn(w.String())
		}
	}
	fmt.Fprintf(env.Out, "%s, %s: all build\n", counted(len(results), "manifest"), counted(objects, "object"))
	return nil
}

// checkUnique refuses objects that are there twice, as far as that shows without
// a cluster: the namespace that a context would fill in is not known.
func checkUnique(ctx context.Context, results []build.Result) error {
	_, err := build.Finish(ctx, results, build.Builtin{}, "")
	return err
}
