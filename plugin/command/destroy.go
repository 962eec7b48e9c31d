package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// destroyVariable has to be true for a tazuna.yaml to be destroyed, as the original
// tool wants it.
const destroyVariable = "TAZUNA_DESTROY_EXECUTABLE"

// destroyOptions are those of destroy, which is a run of apply without files: all
// that the records list has left them.
type destroyOptions struct {
	run     applyOptions
	force   bool
	noHooks bool
}

func newDestroy(env *Env) *cobra.Command {
	o := &destroyOptions{run: applyOptions{operation: "destroy", wait: true, validate: "strict", everyRecord: true}}
	o.run.plans, o.run.finish = o.fromRecords, removeRecords
	cmd := &cobra.Command{
		Use:   "destroy [-f FILE] [--manifest NAME]",
		Short: "Delete what the records list, in reverse order, and then the records",
		Long: `Deletes the objects that the records of the manifests list: what depends on others
first, each with the uid that was seen, and waits until they are gone. Then the
records are removed. What isn't recorded is not deleted: only charts are rendered, for
their hooks before and after the deletion.

Objects that are kept (annotations of Helm and kapp) stay and leave the record, and so
does what another record lists. Namespaces, CustomResourceDefinitions,
PersistentVolumes and their claims need --prune-protected.

A tazuna.yaml is destroyed only with ` + destroyVariable + `=true in the environment.
Of manifests that it doesn't name, --manifest may name those that are of its project;
others are destroyed by their record alone, where there is no tazuna.yaml.

Exit codes: 0 done or nothing to do, 1 something failed, 3 refused.`,
		Example: fmt.Sprintf(`  # what the tazuna.yaml of this directory installed
  `+destroyVariable+`=true %[1]s destroy

  # one manifest by its record alone, where there is no tazuna.yaml
  %[1]s destroy --manifest web`, env.Name),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.force {
				env.note("note: --force is the original tool's word for --yes")
				o.run.yes = true
			}
			if !cmd.Flags().Changed("summary") { // the text of what goes says little
				o.run.view.summary = true
			}
			return o.run.run(cmd.Context(), env)
		},
	}
	o.addFlags(cmd)
	return cmd
}

func (o *destroyOptions) addFlags(cmd *cobra.Command) {
	o.run.source.addFlags(cmd)
	for _, name := range []string{"kustomize", "recursive", "allow-empty"} {
		if f := cmd.Flags().Lookup(name); f != nil { // accepted, so that apply's flags can stay
			f.Hidden = true
		}
	}
	o.run.view.addFlags(cmd)
	o.run.addRunFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.run.dryRun, "dry-run", "none", "none, or client: only show what would be deleted")
	f.BoolVar(&o.run.policy.pruneProtected, "prune-protected", false, "Delete Namespaces, CustomResourceDefinitions, PersistentVolumes and their claims too")
	f.StringVar(&o.run.policy.fieldManager, "field-manager", "tazuna", "The field manager of our server-side applies")
	f.BoolVar(&o.noHooks, "no-hooks", false, "Don't render charts, and run none of their hooks before and after the deletion")
	f.BoolVar(&o.force, "force", false, "Accepted for old scripts: the same as --yes")
	_ = f.MarkHidden("force")
}

// fromRecords plans the deletion of all that the records list.
func (o *destroyOptions) fromRecords(ctx context.Context, env *Env) (round, error) {
	client, err := env.connect()
	if err != nil {
		return round{}, err
	}
	names, src, err := o.manifests(env)
	if err != nil {
		return round{}, err
	}
	if err := guard(src, client); err != nil {
		return round{}, err
	}
	rules, err := config.DefaultKappConfig()
	if err != nil {
		return round{}, err
	}
	// Nothing is proven to be as wanted here, so what proofs rest on isn't asked for.
	unproven := *src
	unproven.recorded = false
	p := &prepared{source: &unproven, client: client, store: env.store(client), rules: &rules, records: map[string]*state.Record{}}
	p.store.Wait = o.run.lockTimeout
	if err := p.readForDestroy(ctx, env, names); err != nil {
		return round{}, err
	}
	if err := mayDestroy(env, src); err != nil {
		return round{}, err
	}
	if src.file != nil && !o.noHooks {
		if err := p.findDeleteHooks(ctx, env, names); err != nil {
			return round{}, err
		}
	}
	if err := p.unknownFarewells(env, o.noHooks); err != nil {
		return round{}, err
	}
	policy := o.run.policy.policy()
	policy.Prune = true
	current, planner, err := p.plan(ctx, env, planOptions{policy: policy, refresh: true})
	if err == nil {
		for i := range current.Leftover {
			current.Leftover[i].Destroy = true
		}
		p.announceDeleteHooks(current)
	}
	return round{p, current, planner}, err
}

// manifests finds out what is to be destroyed. Where there is no file the names
// have to be given: "everything in the cluster" is never meant.
func (o *destroyOptions) manifests(env *Env) ([]string, *source, error) {
	names, src, err := o.run.source.which(env)
	if err == nil && len(names) == 0 && src.file == nil {
		err = errors.New("nothing to destroy is named: give --manifest NAME, or -f with a tazuna.yaml")
	}
	return names, src, err
}

// mayDestroy is the second guard of a tazuna.yaml, beside its contexts.
func mayDestroy(env *Env, src *source) error {
	if src.file == nil {
		return nil
	}
	value := env.Getenv(destroyVariable)
	if allowed, err := strconv.ParseBool(value); err != nil || !allowed {
		return exit(ExitRefused, fmt.Errorf("%s: destroying it needs %s=true in the environment, found %q; nothing was deleted", src.file.Path, destroyVariable, value))
	}
	return nil
}

// readForDestroy makes the plan's inputs of records alone: what is listed, and no
// file that wants any of it. The manifest of a file that stands last goes first.
func (p *prepared) readForDestroy(ctx context.Context, env *Env, names []string) error {
	// Nothing is compared here: without the key a deletion is none the worse.
	key, err := p.store.HashKey(ctx, false)
	if err != nil {
		klog.V(2).InfoS("the key for hashes of Secrets is not known", "error", err)
	}
	p.hasher = object.Hasher{Key: key}
	names = slices.Clone(names)
	slices.Reverse(names)
	for _, name := range names {
		rec, err := p.store.Read(ctx, name)
		if err != nil {
			return err
		}
		if err := p.source.ofProject(rec); err != nil {
			return err
		}
		for _, d := range rec.Damaged {
			env.warn(fmt.Sprintf("record of manifest %s: %s; nothing is deleted while this lasts", name, d))
		}
		if !rec.Exists {
			env.note("There is no record of manifest %s: nothing to destroy.", name)
			continue
		}
		if err := p.source.namesOrOwns(rec); err != nil {
			return err
		}
		p.records[name] = rec
		p.destroyed = append(p.destroyed, name)
		p.inputs = append(p.inputs, plan.Input{Manifest: name, Record: rec, DefaultNamespace: rec.DefaultNamespace})
	}
	return nil
}

// removeRecords ends a destruction: a record that lists nothing any more goes.
func removeRecords(ctx context.Context, env *Env, sessions sessionSet) error {
	var left []string
	for _, name := range slices.Sorted(maps.Keys(sessions)) {
		err := sessions[name].Delete(ctx)
		switch {
		case errors.Is(err, state.ErrRecordNotEmpty):
			left = append(left, name)
		case err != nil:
			return err
		default:
			env.note("The record of manifest %s is removed.", name)
		}
	}
	if len(left) == 0 {
		return nil
	}
	return exit(ExitRefused, fmt.Errorf("not everything could be deleted: the records of %s list what is left over, see above", strings.Join(left, ", ")))
}
