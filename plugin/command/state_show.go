package command

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/inventory"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

func newStateShow(env *Env) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "show MANIFEST KIND/NAME...",
		Short: "Show entries of a record: what was applied last, its hash, who wrote the live object",
		Long: `Shows all that is known of recorded objects: content hash, uid, the object as it was
applied last, and who wrote the live one. Values of Secrets, and those that mask rules
of the files hide, are never recorded and are shown as such. An object is named by KIND/NAME, KIND.GROUP/NAME or the line of
state list. Nothing is written.`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return stateShow(cmd.Context(), env, args[0], args[1:], output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "Print as json, yaml, kyaml, name, jsonpath=… or go-template=…")
	return cmd
}

// existing reads a record that has to be there.
func existing(ctx context.Context, store *state.Store, manifest string) (*state.Record, error) {
	rec, err := store.Read(ctx, manifest)
	if err == nil && !rec.Exists {
		err = fmt.Errorf("there is no record of manifest %s: `state list` shows those that there are", manifest)
	}
	return rec, err
}

func stateShow(ctx context.Context, env *Env, manifest string, words []string, output string) error {
	client, err := env.connect()
	if err != nil {
		return err
	}
	rec, err := existing(ctx, env.store(client), manifest)
	if err != nil {
		return err
	}
	for _, n := range rec.Notes {
		env.note("note: %s", n)
	}
	entries, err := pickEntries(rec, words, namespaceOf(client.Namespace()))
	if err != nil {
		return err
	}
	live, err := inventory.Live(ctx, client, entries)
	if err != nil {
		return err
	}
	var shown []printers.ShownEntry
	for _, e := range entries {
		shown = append(shown, showEntry(e, live[e.Key]))
	}
	return env.printResult(output, printers.NewStateShow(shown))
}

// namespaceOf is the namespace that was asked for; that of the kubeconfig is not.
func namespaceOf(namespace string, explicit bool) string {
	if explicit {
		return namespace
	}
	return ""
}

func showEntry(e state.Entry, f inventory.Found) printers.ShownEntry {
	out := printers.ShownEntry{
		Manifest: e.Key.Manifest, StateEntry: printers.StateEntry{StateResource: resourceOf(e.Key), ContentHash: e.ContentHash},
		UID: e.UID, ResourceVersion: e.ResourceVersion, Order: e.Order, Live: "missing",
	}
	if body := e.LastApplied(); body != nil {
		mask := object.DefaultMasker()
		mask.Rules = append(mask.Rules, object.HidePaths(e.Key.Ref(), e.Hidden)...)
		out.LastApplied = mask.One(body)
	}
	switch {
	case f.Err != nil:
		out.Live = "not known: " + f.Err.Error()
	case f.Object != nil && e.UID != "" && string(f.Object.GetUID()) != e.UID:
		out.Live = fmt.Sprintf("replaced: its uid is %s", f.Object.GetUID())
	case f.Object != nil:
		out.Live = "present, resource version " + f.Object.GetResourceVersion()
	}
	if f.Object != nil {
		out.Authors = authorsOf(f.Object.GetManagedFields())
	}
	return out
}

func authorsOf(entries []metav1.ManagedFieldsEntry) []plan.Author {
	var out []plan.Author
	for _, m := range entries {
		a := plan.Author{Manager: m.Manager, Operation: string(m.Operation), Subresource: m.Subresource}
		if m.Time != nil {
			at := m.Time.UTC().Truncate(time.Second)
			a.Time = &at
		}
		out = append(out, a)
	}
	return out
}

// printable is a result with a text form of its own.
type printable interface {
	Print(o printers.Options) error
}

// printResult prints in the format that was asked for.
func (e *Env) printResult(output string, result printable) error {
	if output != "" {
		return printers.Structured(e.Out, output, result)
	}
	p := printers.DefaultOptions(e.Out)
	var err error
	if p.Color, err = e.colors(e.Out); err != nil {
		return err
	}
	p.Now = e.Clock.Now()
	return result.Print(p)
}
