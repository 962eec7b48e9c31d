package command

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/build"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

func newState(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "state",
		Short: "Look at the records that say what was applied",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		newStateList(env), newStateDiff(env), newStateDrift(env), newStateSync(env), newStateShow(env), newStateForget(env),
		newStateAdopt(env), newStateRebuild(env), newStateMigrate(env), newStateUnlock(env),
	)
	return cmd
}

func newStateList(env *Env) *cobra.Command {
	o := &sourceOptions{}
	var output string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List what was applied, by manifest",
		Long: `Lists the records of the manifests of the file, and those of manifests
that it doesn't name; without a file, of every manifest in the cluster. Nothing is written.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.stateList(cmd.Context(), env, output) },
	}
	o.addFlags(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "", "Print as json, yaml, kyaml, name, jsonpath=… or go-template=…")
	return cmd
}

func (o *sourceOptions) stateList(ctx context.Context, env *Env, output string) error {
	client, err := env.connect()
	if err != nil {
		return err
	}
	scope, err := o.recorded(ctx, env, client)
	if err != nil {
		return err
	}
	var list []printers.StateManifest
	for i, name := range slices.Concat(scope.names, scope.orphans) {
		orphan := i >= len(scope.names)
		rec, err := scope.read(ctx, env, name)
		if err != nil && orphan { // perhaps not even ours
			env.warn(err.Error())
			continue
		}
		if err != nil {
			return err
		}
		m := listed(rec)
		m.Orphan = orphan
		list = append(list, m)
	}
	return env.printResult(output, printers.NewStateList(list))
}

func listed(rec *state.Record) printers.StateManifest {
	m := printers.StateManifest{Manifest: rec.Manifest, Project: rec.Project, GitCommitHash: rec.GitCommitHash, Notes: rec.Notes}
	if !rec.LastSyncedAt.IsZero() {
		m.LastSyncedAt = rec.LastSyncedAt.UTC().Format(time.RFC3339)
	}
	for _, e := range rec.Entries {
		m.Entries = append(m.Entries, printers.StateEntry{StateResource: resourceOf(e.Key), ContentHash: e.ContentHash})
	}
	return m
}

func resourceOf(k state.Key) printers.StateResource {
	return printers.StateResource{Group: k.Group, Version: k.Version, Kind: k.Kind, Namespace: k.Namespace, Name: k.Name}
}

func newStateDiff(env *Env) *cobra.Command {
	o := &sourceOptions{}
	var output string
	var exitCode bool
	cmd := &cobra.Command{
		Use:   "diff",
		Short: "Compare what the files build with the records, without looking at live objects",
		Long: `Lists objects as added, modified or removed against the record of their manifest.
Nothing is written. diff compares with the live objects as well.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			differs, err := o.stateDiff(cmd.Context(), env, output)
			if err == nil && differs && exitCode {
				return &ExitError{Code: ExitFailed}
			}
			return err
		},
	}
	o.addFlags(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "", "Print as json, yaml, kyaml, name, jsonpath=… or go-template=…")
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "Exit with 1 when there are differences")
	return cmd
}

func (o *sourceOptions) stateDiff(ctx context.Context, env *Env, output string) (differs bool, err error) {
	p, err := env.prepare(ctx, o)
	if err != nil {
		return false, err
	}
	if err := p.source.needRecord(); err != nil {
		return false, err
	}
	var list []printers.StateDiffManifest
	for i, r := range p.results {
		if !p.source.selected[r.Manifest] {
			continue
		}
		m, err := changesOf(p.records[r.Manifest], r, p.hasher, p.inputs[i].Versions)
		if err != nil {
			return false, err
		}
		differs = differs || len(m.Changes) > 0
		list = append(list, m)
	}
	if p.source.file != nil {
		scope := recordScope{orphans: orphans(ctx, env, p.store, p.source)}
		scope.noteOrphans(env)
	}
	return differs, env.printResult(output, printers.NewStateDiff(list))
}

func changesOf(rec *state.Record, r build.Result, h object.Hasher, v plan.Versions) (printers.StateDiffManifest, error) {
	m := printers.StateDiffManifest{Manifest: r.Manifest}
	compare := state.Diff
	if r.AlwaysSync {
		compare = state.DiffAlwaysSync
	}
	changes, err := compare(rec, r.Objects, h)
	if err != nil {
		return m, fmt.Errorf("compare manifest %s with its record: %w", r.Manifest, err)
	}
	for _, c := range changes {
		if v.Keeps(c.Key.Ref()) {
			continue // an earlier version that no file names, and that stays
		}
		m.Changes = append(m.Changes, printers.StateChange{
			StateResource: resourceOf(c.Key), Status: string(c.Type), ContentHash: c.Hash, Was: c.Was,
		})
	}
	return m, nil
}

func newStateSync(env *Env) *cobra.Command {
	o := &applyOptions{operation: "state sync"}
	o.plans = o.fromFiles
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "The same run as apply; deletes with --prune or TAZUNA_STATE_SYNC_DELETE=true",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if env.Getenv("TAZUNA_STATE_SYNC_DELETE") == "true" {
				o.policy.prune = true
			}
			return o.run(cmd.Context(), env)
		},
	}
	o.addFlags(cmd)
	return cmd
}

func newStateUnlock(env *Env) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "unlock MANIFEST",
		Short: "Remove the lock of a run that is known to be dead",
		Long: `A lock expires by itself 30 seconds after its run died, so this is hardly ever
needed. Never use it while the run may still be alive.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return unlock(cmd.Context(), env, args[0], yes) },
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "Don't ask")
	return cmd
}

func unlock(ctx context.Context, env *Env, manifest string, yes bool) error {
	client, err := env.connect()
	if err != nil {
		return err
	}
	store := env.store(client)
	lock, held, err := store.Holder(ctx, manifest)
	if err != nil {
		return err
	}
	if !held {
		env.note("There is no lock of manifest %s: nothing to do.", manifest)
		return nil
	}
	env.note("%s", lock)
	if err := env.confirm(ctx, yes, fmt.Sprintf("Remove the lock of manifest %s", manifest), client.Context().Context); err != nil {
		return err
	}
	if err := store.Unlock(ctx, manifest); err != nil {
		return err
	}
	env.note("The lock of manifest %s is removed.", manifest)
	return nil
}
