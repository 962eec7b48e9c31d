package packages

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/source"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/offline"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/render"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schema"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/trial"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

func newHooks(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hooks",
		Short: "List the hooks of a package, or try them out",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newHooksList(env), newHooksRun(env))
	return cmd
}

// hookOptions say how hooks are run.
type hookOptions struct {
	namespaces string
	timeout    time.Duration
}

func (o *hookOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.namespaces, "hook-namespaces", string(binding.Instance), "Where hooks may look and act: instance (the namespace of the instance) or any")
	completeFlag(cmd, "hook-namespaces", cobra.FixedCompletions(
		[]string{string(binding.Instance), string(binding.Any)}, cobra.ShellCompDirectiveNoFileComp))
}

// addTimeout adds the flag of what runs hooks; to load them has a limit of its own.
func (o *hookOptions) addTimeout(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&o.timeout, "hook-timeout", hook.DefaultLimits().Run, "How long one run of a hook may take; 0 is no limit")
}

func (o *hookOptions) rule() (binding.Rule, error) {
	switch rule := binding.Rule(o.namespaces); rule {
	case binding.Instance, binding.Any:
		return rule, nil
	}
	return "", fmt.Errorf("--hook-namespaces: wanted %s or %s, found %q", binding.Instance, binding.Any, o.namespaces)
}

func (o *hookOptions) limits() (hook.Limits, error) {
	l := hook.DefaultLimits()
	l.Run = o.timeout
	if o.timeout < 0 {
		return l, fmt.Errorf("--hook-timeout: wanted 0 or more, found %s", o.timeout)
	}
	return l, nil
}

func (o *hookOptions) loader(env *Env, of *packageOptions) (hook.Loader, error) {
	instance, err := of.identity(env)
	if err != nil {
		return hook.Loader{}, err
	}
	rule, err := o.rule()
	if err != nil {
		return hook.Loader{}, err
	}
	limits, err := o.limits()
	return hook.Loader{Instance: instance, Namespaces: rule, Env: hook.BaseEnv(env.Environ()), Limits: limits}, err
}

// load loads the hooks of a package and warns of what is odd about them. With an
// error, the set holds those that could be loaded.
func (o *hookOptions) load(ctx context.Context, env *Env, of *packageOptions, p *source.Package) (*hook.Set, hook.Loader, error) {
	loader, err := o.loader(env, of)
	if err != nil {
		return nil, loader, err
	}
	set, err := loader.Load(ctx, p.Dir)
	if set != nil {
		for _, w := range set.Warnings {
			env.warn(w)
		}
	}
	return set, loader, err
}

type hooksListOptions struct {
	of     packageOptions
	hooks  hookOptions
	output string
}

func newHooksList(env *Env) *cobra.Command {
	o := &hooksListOptions{}
	cmd := &cobra.Command{
		Use:   "list [--bundle PACKAGE]",
		Short: "List the hooks of a package with what calls them",
		Long: `Asks every program under hooks/ for its configuration and prints what calls each hook.
Files that are no hooks are listed with the reason. A program that can't be loaded
is an error, and the others are listed all the same.`,
		Args: noArg,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), env) },
	}
	o.of.addFlags(cmd)
	o.hooks.addFlags(cmd)
	cmd.Flags().StringVarP(&o.output, "output", "o", "", outputUsage)
	return cmd
}

func (o *hooksListOptions) run(ctx context.Context, env *Env) error {
	p, err := o.of.open(ctx, env)
	if err != nil {
		return err
	}
	defer env.close(p)
	set, _, loadErr := o.hooks.load(ctx, env, &o.of, p)
	if set == nil {
		return loadErr
	}
	list := trial.List(p.Definition.Name, set)
	err = env.print(o.output, list, func(to printers.Options) error { return printers.PackageHooks(list, to) })
	return errors.Join(err, loadErr)
}

type hooksRunOptions struct {
	of        packageOptions
	in        inputOptions
	hooks     hookOptions
	snapshots string
	binding   string
	output    string
}

func newHooksRun(env *Env) *cobra.Command {
	o := &hooksRunOptions{}
	cmd := &cobra.Command{
		Use:   "run [HOOK...] [--bundle PACKAGE] [--snapshots FILE] [--binding NAME]",
		Short: "Run the hooks of a package over files, and print what they would change",
		Long: `Runs hooks over the objects of a file, or over snapshots that were recorded, and prints
what each would change: the diff of the values and of every object, metrics, output.
Nothing reaches a cluster, but the programs do run on this machine.

Without HOOK and --binding this is what a run of the package calls: synchronization,
onStartup, beforeHelm, afterHelm, and then whether the instance is ready. A run that
fails ends it, with exit code 1.
--binding picks a stage (also beforeDeleteHelm, afterDeleteHelm), a schedule or a
kubernetes binding by its name; HOOK picks hooks by their ID (packages hooks list).
The limits of settings.executionMinInterval don't hold here.`,
		Example: fmt.Sprintf(`  # all hooks, over two objects
  %[1]s packages hooks run --snapshots examples/objects.yaml

  # one schedule of one hook
  %[1]s packages hooks run hooks/backup.sh --binding nightly --snapshots objects.yaml`, env.Name),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), env, args) },
	}
	o.of.addFlags(cmd)
	o.in.addSettingsFlag(cmd)
	o.in.addSecretsFlag(cmd)
	o.hooks.addFlags(cmd)
	o.hooks.addTimeout(cmd)
	f := cmd.Flags()
	f.StringVar(&o.snapshots, "snapshots", "", "A file with objects as kubectl reads them, or with snapshots as \"packages snapshots\" prints them; - is standard input (default: no objects)")
	f.StringVar(&o.binding, "binding", "", "Only this stage, schedule or kubernetes binding")
	completeFlag(cmd, "binding", completeBinding)
	f.StringVarP(&o.output, "output", "o", "", outputUsage)
	_ = cmd.MarkFlagFilename("snapshots", "yaml", "yml", "json") // an error is only that there is no such flag
	return cmd
}

func (o *hooksRunOptions) run(ctx context.Context, env *Env, ids []string) error {
	p, err := o.of.open(ctx, env)
	if err != nil {
		return err
	}
	defer env.close(p)
	prepared, err := o.in.prepare(ctx, env, p)
	if err != nil {
		return err
	}
	set, loader, err := o.hooks.load(ctx, env, &o.of, p)
	if err != nil {
		return err
	}
	phases, err := trial.Select(set, ids, o.binding)
	if err != nil {
		return err
	}
	hooks, err := o.trial(ctx, env, prepared, set, loader)
	if err != nil {
		return err
	}
	warnings, err := trial.CheckSettings(ctx, hooks.Runner, set, prepared.Settings)
	for _, w := range warnings {
		env.warn(w)
	}
	if err != nil {
		return err
	}
	runs, err := hooks.Run(ctx, phases)
	if err != nil {
		return err
	}
	if len(ids) == 0 && o.binding == "" && !runs.Failed() {
		runs.Ready = hooks.Ready(ctx, set)
	}
	return o.print(env, runs)
}

// trial is what the hooks run in.
func (o *hooksRunOptions) trial(ctx context.Context, env *Env, p *render.Prepared, set *hook.Set, l hook.Loader) (*trial.Hooks, error) {
	var data []byte
	if o.snapshots != "" {
		var err error
		if data, err = env.readFile(o.snapshots); err != nil {
			return nil, fmt.Errorf("--snapshots: %w", err)
		}
	}
	cluster, err := offline.Load(ctx, set, data, o.snapshots, l.Instance.Namespace)
	if err != nil {
		return nil, err
	}
	hooks := &trial.Hooks{
		Package: p.Bundle.Definition.Name,
		Runner:  &hook.Runner{Instance: l.Instance, Namespaces: l.Namespaces, Env: l.Env, Limits: l.Limits},
		Cluster: cluster, Settings: p.Settings, Values: p.Values, Schemas: p.Sources.Schemas, Guessed: p.Guessed, Masker: o.in.masker(),
	}
	hooks.CheckValues = func(values map[string]any) error {
		return p.Sources.Check(ctx, values, schema.Check{Old: hooks.Values})
	}
	return hooks, nil
}

func (o *hooksRunOptions) print(env *Env, runs *report.HookRuns) error {
	err := env.print(o.output, runs, func(to printers.Options) error { return printers.PackageHookRuns(runs, to) })
	if err != nil || !runs.Failed() {
		return err
	}
	failed := 0
	for _, r := range runs.Runs {
		if r.Error != "" && !r.Allowed {
			failed++
		}
	}
	return env.Exit(Failed, fmt.Errorf("%d of %d runs failed, %d were not made", failed, len(runs.Runs)+len(runs.NotRun), len(runs.NotRun)))
}
