package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

func newStateMigrate(env *Env) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "migrate [MANIFEST...]",
		Short: "Bring records of the original tool to the form of today",
		Long: `Writes entries in the older encoding of data keys under those of today, and adds the
labels and annotations of a record. Nothing has to be migrated: older records are read
as they are, and each apply brings what it touches along. Versions of the original
tool since 0.4 read the result; older ones misread names with other bytes than letters,
digits, "-" and ".". No object is written.`,
		RunE: func(cmd *cobra.Command, args []string) error { return migrate(cmd.Context(), env, args, yes) },
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "Don't ask")
	return cmd
}

func migrate(ctx context.Context, env *Env, names []string, yes bool) error {
	client, err := env.connect()
	if err != nil {
		return err
	}
	store := env.store(client)
	if len(names) == 0 {
		if names, err = store.Manifests(ctx); err != nil {
			return err
		}
	}
	var failed []error
	for _, name := range names {
		rec, err := existing(ctx, store, name)
		if err == nil {
			err = migrateOne(ctx, env, client, store, rec, yes)
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

func migrateOne(ctx context.Context, env *Env, client *cluster.Client, store *state.Store, rec *state.Record, yes bool) error {
	for _, d := range rec.Damaged {
		env.warn(fmt.Sprintf("stays as it is: %s", d))
	}
	old := rec.Legacy()
	if len(old) == 0 {
		env.note("The record of manifest %s has the form of today: nothing to do.", rec.Manifest)
		return nil
	}
	for _, k := range old {
		env.note("%s: its data key becomes %s", k.Ref(), k.DataKey())
	}
	question := fmt.Sprintf("Rewrite %s of the record of manifest %s", entriesCounted(len(old)), rec.Manifest)
	if err := env.confirm(ctx, yes, question, client.Context().Context); err != nil {
		return err
	}
	return env.rewrite(ctx, store, rec, "state migrate", func(s *state.Session) error {
		s.Migrate()
		return nil
	})
}
