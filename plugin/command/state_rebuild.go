package command

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/inventory"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// rebuildOptions are those of state rebuild.
type rebuildOptions struct {
	manager string
	yes     bool
}

func newStateRebuild(env *Env) *cobra.Command {
	o := &rebuildOptions{}
	cmd := &cobra.Command{
		Use:   "rebuild MANIFEST",
		Short: "Make a record again, or complete it, from the labels of the objects in the cluster",
		Long: `Looks through all kinds for objects that carry the label of this manifest's record and
that our field manager applied, and puts those that the record doesn't list into it.
For a ConfigMap of the record that is lost. No object is written.

What was applied last isn't known of such entries: the next apply takes it from the
files and from managedFields, and completes the record without writing objects that
are as wanted.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), env, args[0]) },
	}
	cmd.Flags().StringVar(&o.manager, "field-manager", "tazuna", "The field manager that the objects were applied with")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "Don't ask")
	return cmd
}

func (o *rebuildOptions) run(ctx context.Context, env *Env, manifest string) error {
	client, err := env.connect()
	if err != nil {
		return err
	}
	store := env.store(client)
	rec, err := store.Read(ctx, manifest)
	if err != nil {
		return err
	}
	added, err := o.find(ctx, env, client, rec)
	if err != nil {
		return err
	}
	lost := slices.DeleteFunc(slices.Clone(rec.Damaged), func(d state.DamagedEntry) bool { return d.DataKey != "" })
	for _, k := range added {
		env.note("%s: is not in the record", k.Ref())
	}
	for _, d := range lost {
		env.note("%s", d)
	}
	if len(added) == 0 && len(lost) == 0 {
		env.note("The record of manifest %s lists every object that carries its label: nothing to do.", manifest)
		return nil
	}
	question := fmt.Sprintf("Put %s into the record of manifest %s", counted(len(added), "object"), manifest)
	if err := env.confirm(ctx, o.yes, question, client.Context().Context); err != nil {
		return err
	}
	return env.rewrite(ctx, store, rec, "state rebuild", func(s *state.Session) error {
		for _, d := range lost { // the rest of what it listed has no label any more
			if err := s.Forget(d); err != nil {
				return err
			}
		}
		s.Describe(state.RunInfo{FieldManager: o.manager})
		return s.WriteAhead(ctx, added)
	})
}

// find looks for the members of a record that it doesn't list.
func (o *rebuildOptions) find(ctx context.Context, env *Env, client *cluster.Client, rec *state.Record) ([]state.Key, error) {
	kinds, err := env.kinds(ctx, client)
	if err != nil {
		return nil, err
	}
	found, err := inventory.Find(ctx, client, inventory.Search{
		Manifest: rec.Manifest, Kinds: kinds, Selector: state.PartOfLabel + "=" + rec.ApplySetID(),
		Belongs: func(m cluster.Mapping, u *unstructured.Unstructured) bool {
			return inventory.AppliedBy(o.manager, m, u)
		},
	})
	for _, u := range found.Unread {
		env.warn("not looked through: " + u)
	}
	return slices.DeleteFunc(found.Keys, func(k state.Key) bool {
		_, listed := rec.Find(k.Ref())
		return listed
	}), err
}

// kinds are all that the cluster serves, and a warning if that isn't all.
func (e *Env) kinds(ctx context.Context, client *cluster.Client) ([]cluster.Mapping, error) {
	kinds, complete, err := client.Kinds(ctx)
	if err == nil && !complete {
		e.warn("a part of the API can't be read: objects of its kinds are not found")
	}
	return kinds, err
}
