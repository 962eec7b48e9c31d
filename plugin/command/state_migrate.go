package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

func newStateMigrate(env *Env) *cobra.Command {
	o := &migrateOptions{}
	cmd := &cobra.Command{
		Use:   "migrate [MANIFEST...]",
		Short: "Bring records of the original tool to the form of today",
		Long: `Writes entries in the older encoding of data keys under those of today, and adds the
labels and annotations of a record. Nothing has to be migrated: older records are read
as they are, and each apply brings what it touches along. Versions of the original
tool since 0.4 read the result; older ones misread names with other bytes than letters,
digits, "-" and ".". No object is written.

--project says of which project the named records are, as the next apply of a tazuna.yaml
with spec.project does by itself; also of records that another project has.`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), env, args) },
	}
	cmd.Flags().StringVar(&o.project, "project", "", "The project that the named manifests are of")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "Don't ask")
	return cmd
}

// migrateOptions are those of state migrate.
type migrateOptions struct {
	project string
	yes     bool
}

func (o *migrateOptions) run(ctx context.Context, env *Env, names []string) error {
	if problems := validation.IsValidLabelValue(o.project); len(problems) > 0 {
		return fmt.Errorf("--project: %q is no value of a label: %s", o.project, strings.Join(problems, "; "))
	}
	if o.project != "" && len(names) == 0 {
		return errors.New("--project: wanted the manifests that are of it, found none")
	}
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
			err = o.one(ctx, env, client, store, rec)
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

func (o *migrateOptions) one(ctx context.Context, env *Env, client *cluster.Client, store *state.Store, rec *state.Record) error {
	for _, d := range rec.Damaged {
		env.warn(fmt.Sprintf("stays as it is: %s", d))
	}
	old := rec.Legacy()
	moves := o.project != "" && rec.Project != o.project
	if len(old) == 0 && !moves {
		env.note("The record of manifest %s has the form of today: nothing to do.", rec.Manifest)
		return nil
	}
	for _, k := range old {
		env.note("%s: its data key becomes %s", k.Ref(), k.DataKey())
	}
	if moves {
		env.note("The record of manifest %s becomes one of project %s.", rec.Manifest, o.project)
	}
	question := fmt.Sprintf("Rewrite %s of the record of manifest %s", entriesCounted(len(old)), rec.Manifest)
	if err := env.confirm(ctx, o.yes, question, client.Context().Context); err != nil {
		return err
	}
	return env.rewrite(ctx, store, rec, "state migrate", func(s *state.Session) error {
		s.Migrate()
		s.Describe(state.RunInfo{Project: o.project})
		return nil
	})
}
