package command

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/build"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
)

type checkOptions struct {
	source sourceOptions
	fix    bool
}

func newCheck(env *Env) *cobra.Command {
	o := &checkOptions{}
	cmd := &cobra.Command{
		Use:   "check [-f FILE|DIR|-] [-k DIR]",
		Short: "Check that the files are right and build, without a cluster",
		Long: `Reads the files, builds every manifest, reads the conditions of tests, and checks
that the providers of generated Secrets are there, without asking them for values.

--fix gives manifests without a name one, in the file. Comments, order and
templates stay as they are.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), env) },
	}
	o.source.addFlags(cmd)
	cmd.Flags().BoolVar(&o.fix, "fix", false, "Write names for manifests that have none into the tazuna.yaml")
	return cmd
}

func (o *checkOptions) run(ctx context.Context, env *Env) error {
	if o.fix {
		if err := o.fixNames(env); err != nil {
			return err
		}
	}
	src, err := o.source.read(env)
	if err != nil {
		return err
	}
	src.unresolved = true
	results, _, built := env.buildAll(ctx, src)
	if err := errors.Join(built, checkTests(env, src.file)); err != nil {
		return err
	}
	if results, err = placed(ctx, results); err != nil {
		return err
	}
	if err := disputes(results); err != nil {
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

// checkTests reads the conditions of all tests, and warns of guards that let more
// contexts pass than they seem to.
func checkTests(env *Env, file *config.File) error {
	if file == nil {
		return nil
	}
	for _, f := range file.Unanchored() {
		env.warn(f.String())
	}
	tests := file.Tazuna.Spec.Tests
	for _, m := range file.Tazuna.Spec.Manifests {
		tests = append(tests, m.Tests...)
	}
	_, err := compiled(tests)
	return err
}

// fixNames writes names into the file and what it includes.
func (o *checkOptions) fixNames(env *Env) error {
	path := defaultFile
	switch {
	case o.source.kustomize != "" || len(o.source.files) > 1:
		return errors.New("--fix is for one tazuna.yaml: -f names it")
	case len(o.source.files) == 1:
		path = o.source.files[0]
	}
	is, err := isTazunaFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return err
	case err != nil || !is:
		return fmt.Errorf("--fix is for a tazuna.yaml, and %s is none", path)
	}
	fixed, err := config.Fix(path, config.LoadOptions{
		Version: env.Version, Environment: o.source.environment, Types: build.ConfigTypes(),
	})
	if err != nil {
		return err
	}
	for _, f := range fixed {
		if err := config.WriteFixed(f); err != nil {
			return fmt.Errorf("write the fixed file: %w", err)
		}
		for _, name := range f.Names {
			env.note("%s: a manifest is named %s now", f.Path, name)
		}
		fmt.Fprintf(env.Out, "fixed: %s\n", f.Path)
	}
	return nil
}
