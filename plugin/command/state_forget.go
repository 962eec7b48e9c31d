package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/inventory"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// forgetOptions are those of state forget.
type forgetOptions struct {
	keepObjects, damaged, yes bool
}

func newStateForget(env *Env) *cobra.Command {
	o := &forgetOptions{}
	cmd := &cobra.Command{
		Use:   "forget MANIFEST [KIND/NAME...]",
		Short: "Take entries out of a record, and our label off their objects; deletes no object",
		Long: `Takes the named entries, or all, out of the record of a manifest. Objects that are
gone need nothing else. Those that are there are only let go of with --keep-objects:
the label that names them as ours is taken off, nothing else of them changes, and
nobody will delete them. A record that lists nothing any more is removed.

--damaged takes out what can't be read instead: look at it first, it may be of a newer
version.`,
		Example: fmt.Sprintf(`  # go on with another tool: the objects stay
  %[1]s state forget web --keep-objects

  # one object
  %[1]s state forget web deployment/old --keep-objects`, env.Name),
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), env, args[0], args[1:])
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.keepObjects, "keep-objects", false, "Let go of objects that are there too: they stay, and are nobody's")
	f.BoolVar(&o.damaged, "damaged", false, "Take out the entries that can't be read")
	f.BoolVarP(&o.yes, "yes", "y", false, "Don't ask")
	return cmd
}

func (o *forgetOptions) run(ctx context.Context, env *Env, manifest string, words []string) error {
	client, err := env.connect()
	if err != nil {
		return err
	}
	store := env.store(client)
	rec, err := existing(ctx, store, manifest)
	if err != nil {
		return err
	}
	if o.damaged {
		return o.forgetDamaged(ctx, env, client, store, rec, words)
	}
	entries, err := pickEntries(rec, words, namespaceOf(client.Namespace()))
	if err != nil {
		return err
	}
	live, err := inventory.Live(ctx, client, entries)
	if err != nil {
		return err
	}
	if err := o.mayForget(env, entries, live); err != nil {
		return err
	}
	question := fmt.Sprintf("Forget %s of manifest %s", entriesCounted(len(entries)), manifest)
	if err := env.confirm(ctx, o.yes, question, client.Context().Context); err != nil {
		return err
	}
	return env.rewrite(ctx, store, rec, "state forget", func(s *state.Session) error {
		var failed []error
		for _, e := range entries {
			if err := letGo(ctx, client, rec.ApplySetID(), live[e.Key]); err != nil {
				failed = append(failed, fmt.Errorf("%s stays in the record: %w", e.Key.Ref(), err))
				continue
			}
			s.Removed(e.Key)
		}
		return errors.Join(failed...)
	})
}

// entriesCounted counts entries for the question.
func entriesCounted(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

// mayForget lists what is to be forgotten and refuses to let go of what is there
// unless that was asked for.
func (o *forgetOptions) mayForget(env *Env, entries []state.Entry, live map[state.Key]inventory.Found) error {
	var there []string
	for _, e := range entries {
		f := live[e.Key]
		word := "gone"
		switch {
		case f.Err != nil:
			word = "not known: " + f.Err.Error()
		case f.Object != nil:
			word = "stays"
		}
		env.note("%s: %s", e.Key.Ref(), word)
		if f.Object != nil || f.Err != nil {
			there = append(there, e.Key.Ref().String())
		}
	}
	if len(there) == 0 || o.keepObjects {
		return nil
	}
	return exit(ExitRefused, fmt.Errorf("%s: still there, or not known: with --keep-objects they are left as they are and nobody's, destroy deletes them; nothing was written", strings.Join(there, ", ")))
}

// letGo takes the label of a record off a live object, if it still is that object and
// carries that label: what became another record's in the meantime stays its.
func letGo(ctx context.Context, client *cluster.Client, label string, f inventory.Found) error {
	if f.Object == nil || f.Object.GetLabels()[state.PartOfLabel] != label {
		return nil // gone, unreadable, or another record's
	}
	path := "/metadata/labels/" + strings.ReplaceAll(state.PartOfLabel, "/", "~1")
	patch, err := object.EncodeJSON([]any{
		map[string]any{"op": "test", "path": "/metadata/uid", "value": string(f.Object.GetUID())},
		map[string]any{"op": "test", "path": path, "value": label},
		map[string]any{"op": "remove", "path": path},
	})
	if err != nil {
		return err
	}
	namespace, name := f.Object.GetNamespace(), f.Object.GetName()
	_, err = client.Patch(ctx, f.Mapping, namespace, name, types.JSONPatchType, patch, cluster.WriteOptions{Manager: "tazuna"})
	if err == nil || apierrors.IsNotFound(err) {
		return nil
	}
	now, readErr := client.Get(ctx, f.Mapping, namespace, name)
	if apierrors.IsNotFound(readErr) || readErr == nil && (now.GetUID() != f.Object.GetUID() || now.GetLabels()[state.PartOfLabel] != label) {
		return nil // a test of the patch failed: it is gone, or carries our label no more
	}
	return err
}

func (o *forgetOptions) forgetDamaged(ctx context.Context, env *Env, client *cluster.Client, store *state.Store, rec *state.Record, words []string) error {
	if len(words) > 0 {
		return errors.New("--damaged takes out all that can't be read: it can't be used with names")
	}
	if len(rec.Damaged) == 0 {
		env.note("Everything in the record of manifest %s can be read: nothing to do.", rec.Manifest)
		return nil
	}
	for _, d := range rec.Damaged {
		env.note("%s", d)
	}
	if err := env.confirm(ctx, o.yes, fmt.Sprintf("Take this out of the record of manifest %s", rec.Manifest), client.Context().Context); err != nil {
		return err
	}
	return env.rewrite(ctx, store, rec, "state forget", func(s *state.Session) error {
		for _, d := range rec.Damaged {
			if err := s.Forget(d); err != nil {
				return err
			}
		}
		return nil
	})
}

// rewrite changes a record alone, under its lock. What change did is saved even if
// it failed in part. A record that lists nothing any more is removed.
func (e *Env) rewrite(ctx context.Context, store *state.Store, rec *state.Record, operation string, change func(s *state.Session) error) error {
	s, err := store.Begin(ctx, rec.Manifest, operation)
	if err != nil {
		return err
	}
	defer sessionSet{rec.Manifest: s}.end(ctx, e)
	if s.Record().Revision() != rec.Revision() {
		return &movedError{manifest: rec.Manifest}
	}
	changeErr := change(s)
	if err := s.Save(context.WithoutCancel(ctx), true, rec.Metadata); err != nil {
		return errors.Join(changeErr, err)
	}
	if changeErr != nil {
		return changeErr
	}
	err = s.Delete(ctx)
	switch {
	case errors.Is(err, state.ErrRecordNotEmpty):
		e.note("The record of manifest %s is written.", rec.Manifest)
		return nil
	case err == nil:
		e.note("The record of manifest %s listed nothing any more and is removed.", rec.Manifest)
	}
	return err
}
