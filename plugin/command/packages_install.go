package command

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/command/packages"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// addFlagsBut adds what a function adds, but without some flags.
func addFlagsBut(cmd *cobra.Command, add func(*cobra.Command), without ...string) {
	all := &cobra.Command{}
	add(all)
	dropped := map[string]bool{}
	for _, name := range without {
		dropped[name] = true
	}
	all.Flags().VisitAll(func(f *pflag.Flag) {
		if !dropped[f.Name] {
			cmd.Flags().AddFlag(f)
		}
	})
}

// packagesApplier is a run of apply with objects that "packages install" makes. What
// they no longer have is deleted, but no definition.
type packagesApplier struct {
	env *Env
	run applyOptions
}

func newPackagesApplier(env *Env) *packagesApplier {
	a := &packagesApplier{env: env, run: applyOptions{operation: "packages install", wait: true, validate: "strict"}}
	a.run.source.own, a.run.policy.prune, a.run.policy.fieldManager = true, true, "tazuna"
	a.run.plans = a.run.fromFiles
	return a
}

// AddFlags adds those of apply that mean something here.
func (a *packagesApplier) AddFlags(cmd *cobra.Command) {
	addFlagsBut(cmd, a.run.view.addFlags, "output", "show-secrets")
	a.run.addRunFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&a.run.dryRun, "dry-run", "none", "none, client (only show the diff), or server (also ask the server about new objects)")
	f.BoolVar(&a.run.wait, "wait", true, "Wait until the controller is up")
	f.BoolVar(&a.run.policy.forceConflicts, "force-conflicts", false, "Take fields that other managers own with another value")
}

// DryRun is the value of --dry-run.
func (a *packagesApplier) DryRun() string { return a.run.dryRun }

// Apply applies objects under their records.
func (a *packagesApplier) Apply(ctx context.Context, manifests []packages.Manifest) error {
	a.run.source.made = nil
	for _, m := range manifests {
		a.run.source.made = append(a.run.source.made, madeManifest{name: m.Name, origin: "packages install", yaml: m.YAML})
	}
	return a.run.run(ctx, a.env)
}

// packagesRemover is a run of destroy for the records of "packages install".
type packagesRemover struct {
	env *Env
	run destroyOptions
}

func newPackagesRemover(env *Env) *packagesRemover {
	r := &packagesRemover{env: env, run: destroyOptions{run: applyOptions{operation: "packages uninstall", wait: true, validate: "strict", everyRecord: true}}}
	d := &r.run.run
	d.source.own, d.policy.pruneProtected, d.policy.fieldManager = true, true, "tazuna"
	d.plans, d.finish = r.run.fromRecords, removeRecords
	return r
}

// AddFlags adds those of destroy that mean something here.
func (r *packagesRemover) AddFlags(cmd *cobra.Command) {
	addFlagsBut(cmd, r.run.run.view.addFlags, "output", "show-secrets", "summary")
	r.run.run.view.summary = true // the text of what goes says little
	r.run.run.addRunFlags(cmd)
	cmd.Flags().StringVar(&r.run.run.dryRun, "dry-run", "none", "none, or client: only show what would be deleted")
}

// DryRun is the value of --dry-run.
func (r *packagesRemover) DryRun() string { return r.run.run.dryRun }

// Recorded reads the record of a manifest.
func (r *packagesRemover) Recorded(ctx context.Context, manifest string) ([]object.Ref, bool, error) {
	client, err := r.env.connect()
	if err != nil {
		return nil, false, err
	}
	record, err := r.env.store(client).Read(ctx, manifest)
	if err != nil {
		return nil, false, err
	}
	refs := make([]object.Ref, 0, len(record.Entries))
	for _, e := range record.Entries {
		refs = append(refs, e.Key.Ref())
	}
	return refs, record.Exists, nil
}

// Remove deletes what a record lists, and the record.
func (r *packagesRemover) Remove(ctx context.Context, manifest string, agreed bool) error {
	run := r.run
	run.run.source.manifests, run.run.yes = []string{manifest}, run.run.yes || agreed
	run.run.plans = run.fromRecords
	return run.run.run(ctx, r.env)
}
