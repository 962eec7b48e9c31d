package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/build"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// diffOptions are those of diff and plan.
type diffOptions struct {
	source   sourceOptions
	view     viewOptions
	selected selectOptions
	policy   policyOptions
	exitCode bool
	against  []string
	dryRun   string
	save     string
	// keep, if set, is given the whole plan before it is narrowed and shown.
	keep func(ctx context.Context, r round) error
}

func newDiff(env *Env) *cobra.Command {
	o := &diffOptions{}
	cmd := &cobra.Command{
		Use:   "diff [-f FILE|DIR|-] [-k DIR]",
		Short: "Show what apply would change, and what others changed since",
		Long: `Compares what the files want, what was applied last and what is live, and shows
only what differs. Nothing is written.

Exit codes: 0 no difference, 1 differences, 2 an error.`,
		Example: fmt.Sprintf(`  # the tazuna.yaml of this directory
  %[1]s diff

  # plain files, without a record
  %[1]s diff -f manifests/ -R`, env.Name),
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), env) },
	}
	o.addFlags(cmd)
	return cmd
}

func newPlan(env *Env) *cobra.Command {
	o := &diffOptions{}
	cmd := &cobra.Command{
		Use:   "plan [-f FILE|DIR|-] [-k DIR]",
		Short: "Show the table of what apply would do",
		Long: `The same comparison as diff, shown as a table of operations without the text of
the changes. Nothing is written to the cluster.

With --save the plan is kept in a file for "apply --plan": masked, readable by its
owner only, and bound to this cluster, these files and what was seen of the objects.

Exit codes: 0 nothing to do, 1 something to do, 2 an error.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.view.summary = true
			if o.save != "" {
				o.keep = func(ctx context.Context, r round) error { return o.writePlan(ctx, env, r, cmd) }
			}
			return o.run(cmd.Context(), env)
		},
	}
	o.addFlags(cmd)
	cmd.Flags().StringVar(&o.save, "save", "", "Save the plan in this file, for apply --plan")
	return cmd
}

func (o *diffOptions) addFlags(cmd *cobra.Command) {
	o.source.addFlags(cmd)
	o.view.addFlags(cmd)
	o.selected.addFlags(cmd)
	o.policy.addFlags(cmd)
	cmd.Flags().StringSliceVar(&o.against, "against", nil, "Compare with these files or directories instead of a cluster")
	cmd.Flags().BoolVar(&o.exitCode, "exit-code", true, "Exit with 1 when there are differences")
	cmd.Flags().StringVar(&o.dryRun, "dry-run", "", "server also asks the server about objects that don't exist yet")
}

func (o *diffOptions) run(ctx context.Context, env *Env) error {
	report, err := o.compare(ctx, env)
	if err != nil {
		return &ExitError{Code: ExitDiffFailed, Err: err}
	}
	if err := o.view.print(ctx, env, report); err != nil {
		return exit(ExitDiffFailed, err)
	}
	return o.verdict(env, report)
}

func (o *diffOptions) compare(ctx context.Context, env *Env) (*plan.Report, error) {
	if o.dryRun != "" && o.dryRun != "server" {
		return nil, fmt.Errorf("--dry-run of a command that never writes: wanted server, found %q", o.dryRun)
	}
	if err := o.view.validate(); err != nil {
		return nil, err
	}
	selection, err := o.selected.selection()
	if err != nil {
		return nil, err
	}
	if o.save != "" && (!selection.Empty() || len(o.against) > 0) {
		return nil, errors.New("--save keeps a whole plan of a cluster: it can't be used with --against, --only, --kind, --name, --selector and --diff-filter")
	}
	if len(o.against) > 0 {
		result, err := o.compareFiles(ctx, env)
		if err != nil {
			return nil, err
		}
		return o.selected.narrow(env, o.view.report(result), selection)
	}
	p, err := env.prepare(ctx, &o.source)
	if err != nil {
		return nil, err
	}
	o.view.rules = p.rules
	result, planner, err := p.plan(ctx, env, o.planOptions())
	if err != nil {
		return nil, err
	}
	if o.keep != nil {
		if err := o.keep(ctx, round{p, result, planner}); err != nil {
			return nil, err
		}
	}
	return o.selected.narrow(env, o.view.report(result), selection)
}

// compareFiles compares two sets of files without a cluster. The other side is
// read as the first one is: a tazuna.yaml, files or directories.
func (o *diffOptions) compareFiles(ctx context.Context, env *Env) (*plan.Plan, error) {
	other := sourceOptions{files: o.against, recursive: o.source.recursive, allowEmpty: o.source.allowEmpty}
	desired, rules, err := env.buildOffline(ctx, &o.source)
	if err != nil {
		return nil, err
	}
	base, otherRules, err := env.buildOffline(ctx, &other)
	if err != nil {
		return nil, err
	}
	// What either side hides is hidden on both.
	all := rules.With(otherRules)
	return plan.Against(desired, base, &all), nil
}

// buildOffline builds the selected objects, with the scopes of the built-in
// kinds; objects without a namespace go to that of the kubeconfig.
func (e *Env) buildOffline(ctx context.Context, o *sourceOptions) ([]object.Object, config.KappConfig, error) {
	src, err := o.read(e)
	if err != nil {
		return nil, config.KappConfig{}, err
	}
	results, rules, err := e.buildAll(ctx, src)
	if err != nil {
		return nil, rules, err
	}
	namespace, _, err := e.flags.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return nil, rules, fmt.Errorf("read the namespace of the kubeconfig: %w", err)
	}
	results, err = build.Finish(ctx, results, build.Builtin{}, namespace)
	if err = errors.Join(err, disputes(results)); err != nil {
		return nil, rules, err
	}
	var out []object.Object
	for _, r := range results {
		for _, w := range r.Warnings {
			e.warn(w.String())
		}
		if src.selected[r.Manifest] {
			out = append(out, r.Objects...)
		}
	}
	return out, rules, nil
}

func (o *diffOptions) planOptions() planOptions {
	return planOptions{
		policy: o.policy.policy(), dryRunCreates: o.dryRun == "server",
		// What the server undoes is only known of objects that were looked at.
		refresh: o.policy.refresh || o.view.showIgnored,
	}
}

// verdict is the exit code: what could not be compared is an error, not a
// difference; of what this user may not read the rest is judged.
func (o *diffOptions) verdict(env *Env, r *plan.Report) error {
	r, unread := r.Compared()
	if unread > 0 {
		env.warn(fmt.Sprintf("Secrets that could not be read and were not compared: %d", unread))
	}
	if r.Summary.Failed > 0 {
		var all []error
		for _, obj := range r.Objects {
			if obj.Op == plan.OpError {
				gv, _ := schema.ParseGroupVersion(obj.APIVersion)
				ref := object.Ref{Group: gv.Group, Kind: obj.Kind, Namespace: obj.Namespace, Name: obj.Name}
				all = append(all, fmt.Errorf("%s: %s", ref, obj.Reason))
			}
		}
		return exit(ExitDiffFailed, errors.Join(all...))
	}
	if r.Differs() && o.exitCode {
		return &ExitError{Code: ExitFailed}
	}
	return nil
}

// policyOptions are the flags that change what is refused.
type policyOptions struct {
	forceConflicts bool
	recreate       bool
	prune          bool
	pruneProtected bool
	fieldManager   string
	adopt          bool
	dropKappLabels bool
	refresh        bool
}

func (o *policyOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.forceConflicts, "force-conflicts", false, "Take fields that other managers own with another value")
	f.BoolVar(&o.recreate, "recreate", false, "Replace objects whose update the server refuses; never PersistentVolumes, their claims, StatefulSets, Namespaces and CustomResourceDefinitions")
	f.BoolVar(&o.prune, "prune", false, "Delete what the record lists and the files no longer name")
	f.BoolVar(&o.pruneProtected, "prune-protected", false, "Let --prune delete Namespaces, CustomResourceDefinitions, PersistentVolumes and their claims too")
	f.BoolVar(&o.refresh, "refresh", false, "Look at every object, also at those known to be as wanted")
	f.BoolVar(&o.adopt, "adopt", false, "Also take over what kubectl or Helm applied server-side, not only what they wrote before that")
	f.BoolVar(&o.dropKappLabels, "drop-kapp-labels", false, "Remove the labels that kapp put into selectors, Pod templates and claim templates; they are kept otherwise")
	f.StringVar(&o.fieldManager, "field-manager", "tazuna", "The field manager of our server-side applies")
}

func (o *policyOptions) policy() plan.Policy {
	p := plan.ManifestPolicy()
	p.FieldManager, p.ForceConflicts, p.Recreate = o.fieldManager, o.forceConflicts, o.recreate
	p.Prune, p.PruneProtected = o.prune, o.pruneProtected
	p.AdoptApplied, p.DropKappLabels = o.adopt, o.dropKappLabels
	return p
}
