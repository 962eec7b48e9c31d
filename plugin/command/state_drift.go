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
neither charts nor providers of secrets; nothing is written. What a run announced and
did not get to is "announced", which is no drift.

Where the record has only the hash of what was applied last (it is the original tool's,
or its Secret may not be read), an object counts as applied if what our field manager owns
of it has that hash. Of others it says "unknown", and who has written them since.`,
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
	if errors.Is(err, state.ErrNoHashKey) {
		err = nil
	}
	unkeyed := err
	var list []printers.StateDriftManifest
	var failed []error
	for _, name := range scope.names {
		m, err := scope.drift(ctx, env, name, object.Hasher{Key: key}, unkeyed)
		if err != nil {
			m.Failed = true
			failed = append(failed, err)
		}
		drifts = drifts || slices.ContainsFunc(m.Objects, printers.StateDrifted.Drifts)
		list = append(list, m)
	}
	scope.noteOrphans(env)
	return drifts, errors.Join(append(failed, env.printResult(output, printers.NewStateDrift(list)))...)
}

// drift compares one record with the cluster. unkeyed says why the hasher has no key.
func (s *recordScope) drift(ctx context.Context, env *Env, name string, h object.Hasher, unkeyed error) (printers.StateDriftManifest, error) {
	out := printers.StateDriftManifest{Manifest: name}
	rec, err := s.read(ctx, env, name)
	if err != nil {
		return out, err
	}
	if unkeyed != nil && slices.ContainsFunc(rec.Entries, keepsHidden) {
		env.note("note: manifest %s: values of Secrets can't be compared: %v", name, unkeyed)
	}
	untouched, err := inventory.Untouched(ctx, s.client, rec)
	if err != nil {
		return out, err
	}
	rec = rec.Without(untouched)
	var looked []state.Entry // what can't be planned, and Secrets, whose values are hidden
	for _, e := range rec.Entries {
		if keepsHidden(e) || e.LastApplied() == nil || e.ContentHash == "" {
			looked = append(looked, e)
		}
	}
	live, err := inventory.Live(ctx, s.client, looked)
	if err != nil {
		return out, err
	}
	wanted, blind := inventory.Wanted(rec, live, h)
	drifted, failed := s.planned(ctx, env, rec, wanted, h)
	told, err := s.hashed(ctx, rec, blind, live, h)
	if err != nil {
		return out, err
	}
	out.Objects = append(drifted, told...)
	if n := hashOnly(blind); n > 0 {
		out.Notes = append(rec.Notes, fmt.Sprintf("of %s the record has only the hash of what was applied last: what isn't listed is as applied by it", counted(n, "object")))
	}
	slices.SortStableFunc(out.Objects, func(a, b printers.StateDrifted) int {
		return cmp.Or(cmp.Compare(a.Status, b.Status), cmp.Compare(a.StateResource.String(), b.StateResource.String()))
	})
	return out, failed
}

// hashOnly counts the entries that were applied, and of which nothing else is known.
func hashOnly(blind []state.Entry) int {
	n := 0
	for _, e := range blind {
		if e.ContentHash != "" {
			n++
		}
	}
	return n
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
		entry, _ := rec.Find(of.Ref)
		out = append(out, printers.StateDrifted{
			StateResource: resourceOf(of.Key), Status: status, StoredHash: entry.ContentHash, Differences: o.Differences,
			LiveHash: s.liveHash(entry, of.Live, h),
		})
	}
	return out, errors.Join(current.Failed()...)
}

// liveHash is the hash that the live object would have in the record.
func (s *recordScope) liveHash(e state.Entry, live map[string]any, h object.Hasher) string {
	return inventory.LiveHash(e, live, h, plan.HiddenBy(&s.rules))
}

// hashed tells of entries without a known body what can be told: what is missing, and
// of which drift is not known.
func (s *recordScope) hashed(ctx context.Context, rec *state.Record, blind []state.Entry, live map[state.Key]inventory.Found, h object.Hasher) ([]printers.StateDrifted, error) {
	judge := plan.Hashed{Reader: s.client, Hasher: h, Manager: cmp.Or(rec.FieldManager, plan.ManifestPolicy().FieldManager)}
	var out []printers.StateDrifted
	for _, e := range blind {
		f := live[e.Key]
		o := printers.StateDrifted{StateResource: resourceOf(e.Key), Status: printers.DriftUnknown, StoredHash: e.ContentHash}
		switch {
		case f.Err != nil:
			o.Reason = f.Err.Error()
		case f.Object == nil && e.ContentHash == "":
			o.Status = printers.DriftAnnounced
			o.Reason = "a run announced it and isn't known to have applied it; the next apply makes it, or takes it off the record"
		case f.Object == nil:
			o.Status = inventory.Gone
		default:
			same, reason, err := judge.AsApplied(ctx, f.Mapping, f.Object, e)
			if err != nil && ctx.Err() != nil {
				return nil, err
			}
			if same {
				continue
			}
			o.LiveHash = s.liveHash(e, f.Object.Object, h)
			if o.Reason = reason; err != nil {
				o.Reason = err.Error()
			}
		}
		out = append(out, o)
	}
	return out, nil
}
