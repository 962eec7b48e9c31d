package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/inventory"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

func newStateDrift(env *Env) *cobra.Command {
	o := &sourceOptions{}
	var output string
	var exitCode bool
	cmd := &cobra.Command{
		Use:   "drift",
		Short: "Compare the records with the live objects: what others changed since the last apply",
		Long: `Lists recorded objects that are not live as they were applied last: live-drifted, with
the fields and who changed them, or live-missing. Nothing is built, so that it needs
neither charts nor providers of secrets; nothing is written.

Where the record doesn't know what was applied last (it is the original tool's, or may
not be read), an object is only looked for.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			drifts, err := o.stateDrift(cmd.Context(), env, output)
			if err == nil && drifts && exitCode {
				return &ExitError{Code: ExitFailed}
			}
			return err
		},
	}
	o.addFlags(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "", "Print as json, yaml, kyaml, name, jsonpath=… or go-template=…")
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "Exit with 1 when there is drift")
	return cmd
}

func (o *sourceOptions) stateDrift(ctx context.Context, env *Env, output string) (drifts bool, err error) {
	client, err := env.connect()
	if err != nil {
		return false, err
	}
	scope, err := o.recorded(ctx, env, client)
	if err != nil {
		return false, err
	}
	key, err := scope.store.HashKey(ctx, false)
	if err != nil && !errors.Is(err, state.ErrNoHashKey) {
		env.note("note: values of Secrets can't be compared: %v", err)
	}
	var list []printers.StateDriftManifest
	var failed []error
	for _, name := range scope.names {
		m, err := scope.drift(ctx, env, name, object.Hasher{Key: key})
		if err != nil {
			failed = append(failed, err)
		}
		drifts = drifts || len(m.Objects) > 0
		list = append(list, m)
	}
	scope.noteOrphans(env)
	return drifts, errors.Join(append(failed, env.printResult(output, printers.NewStateDrift(list)))...)
}

// drift compares one record with the cluster.
func (s *recordScope) drift(ctx context.Context, env *Env, name string, h object.Hasher) (printers.StateDriftManifest, error) {
	out := printers.StateDriftManifest{Manifest: name}
	rec, err := s.read(ctx, env, name)
	if err != nil {
		return out, err
	}
	untouched, err := inventory.Untouched(ctx, s.client, rec)
	if err != nil {
		return out, err
	}
	rec = rec.Without(untouched)
	var looked []state.Entry // what can't be planned, and Secrets, whose values are hidden
	for _, e := range rec.Entries {
		if e.Key.Kind == "Secret" && e.Key.Group == "" || len(e.Hidden) > 0 || e.LastApplied() == nil || e.ContentHash == "" {
			looked = append(looked, e)
		}
	}
	live, err := inventory.Live(ctx, s.client, looked)
	if err != nil {
		return out, err
	}
	wanted, blind := inventory.Wanted(rec, live, h)
	drifted, failed := s.planned(ctx, env, rec, wanted, h)
	out.Objects = append(drifted, missing(blind, live)...)
	if unknown := len(blind); unknown > 0 {
		out.Notes = append(rec.Notes, fmt.Sprintf("of %s the record doesn't know what was applied last: they were only looked for", counted(unknown, "object")))
	}
	slices.SortStableFunc(out.Objects, func(a, b printers.StateDrifted) int {
		return cmp.Or(cmp.Compare(a.Status, b.Status), cmp.Compare(a.StateResource.String(), b.StateResource.String()))
	})
	return out, failed
}

// planned compares what was applied last with what is live, as apply does.
func (s *recordScope) planned(ctx context.Context, env *Env, rec *state.Record, wanted []object.Object, h object.Hasher) ([]printers.StateDrifted, error) {
	policy := plan.ManifestPolicy()
	policy.Rules = &s.rules
	policy.FieldManager = cmp.Or(rec.FieldManager, policy.FieldManager)
	planner := plan.Planner{Cluster: s.client, Policy: policy, Hasher: h, ToolVersion: env.Version, Refresh: true}
	current, err := planner.Plan(ctx, []plan.Input{{Manifest: rec.Manifest, Objects: wanted, Record: rec, DefaultNamespace: rec.DefaultNamespace}})
	if err != nil {
		return nil, err
	}
	var out []printers.StateDrifted
	for i, o := range current.Report(object.DefaultMasker()).Objects {
		of := current.Objects[i]
		status := inventory.DriftOf(o)
		if status == "" || of.Leaves() || of.Op == plan.OpError {
			continue
		}
		out = append(out, printers.StateDrifted{
			StateResource: resourceOf(of.Key), Status: status, StoredHash: stored(rec, of.Ref), Differences: o.Differences,
		})
	}
	return out, errors.Join(current.Failed()...)
}

func stored(rec *state.Record, ref object.Ref) string {
	e, _ := rec.Find(ref)
	return e.ContentHash
}

// missing are those entries without a known body whose object is not there.
func missing(blind []state.Entry, live map[state.Key]inventory.Found) []printers.StateDrifted {
	var out []printers.StateDrifted
	for _, e := range blind {
		if f := live[e.Key]; f.Object == nil && f.Err == nil {
			out = append(out, printers.StateDrifted{StateResource: resourceOf(e.Key), Status: inventory.Gone, StoredHash: e.ContentHash})
		}
	}
	return out
}
