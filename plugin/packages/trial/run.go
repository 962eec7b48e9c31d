package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/offline"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schema"
)

// Hooks runs hooks over objects in memory.
type Hooks struct {
	// Package names the package in the result.
	Package string
	Runner  *hook.Runner
	// Cluster is what the hooks see, and what their operations are made to.
	Cluster *offline.Cluster
	// Settings are told to the hooks. Values are those that they begin with.
	Settings, Values map[string]any
	// Schemas mark what is secret of settings and values. Guessed tells that the
	// settings are made up, and so nobody's secret.
	Schemas schema.Set
	Guessed bool
	// CheckValues judges values after a patch; nil accepts all.
	CheckValues func(values map[string]any) error
	// Masker hides secrets in the result.
	Masker object.Masker

	madeUp []any // marked values that were guessed
}

// Run makes the runs of each phase in their order. A failure that counts ends the
// trial with its phase, as it would end a run of the package; the other runs of the
// phase are still made, because they don't depend on each other. The error is the end
// of the context.
func (t *Hooks) Run(ctx context.Context, phases []Phase) (*report.HookRuns, error) {
	all := &report.HookRuns{
		APIVersion: report.APIVersion, Kind: "HookRuns", Package: t.Package, Instance: t.Runner.Instance.String(),
		Runs: []report.HookRun{}, NotRun: []string{},
	}
	if t.Guessed {
		t.madeUp = append(t.Schemas.Secrets(t.Values), t.Schemas.Secrets(t.Settings)...)
	}
	for _, phase := range phases {
		held := all.Failed()
		for _, call := range phase {
			if held {
				all.NotRun = append(all.NotRun, fmt.Sprintf("%s (%s)", call.Hook.ID, named(call.Triggers)))
				continue
			}
			run := t.one(ctx, call)
			if ctx.Err() != nil {
				return all, fmt.Errorf("run hooks: %w", context.Cause(ctx))
			}
			all.Runs = append(all.Runs, run)
		}
	}
	all.Values = t.shown(t.Values, t.secrets())
	return all, nil
}

// one makes one run and lets it take effect.
func (t *Hooks) one(ctx context.Context, call hook.Pending) report.HookRun {
	before, secrets, done := t.Values, t.secrets(), len(t.Cluster.Steps())
	result, err := t.Runner.Run(ctx, hook.Request{
		Hook: call.Hook, Triggers: call.Triggers, Values: t.Values, Settings: t.Settings, Source: t.Cluster,
	})
	if err != nil {
		err = errors.Join(err, result.Operate(ctx, t.Cluster))
	} else {
		var taken hook.Taken
		taken, err = result.Take(ctx, hook.Effects{Values: t.Values, CheckValues: t.CheckValues, Objects: t.Cluster})
		t.Values = taken.Values
	}
	secrets = append(secrets, t.secrets()...)
	run := report.HookRun{
		Hook: call.Hook.ID, Binding: named(call.Triggers), Allowed: err != nil && call.Hook.AllowsFailure(call.Triggers),
		Objects: t.changes(t.Cluster.Steps()[done:], secrets), Metrics: t.metrics(result.Metrics, secrets), Notes: t.notes(result.Notes, secrets),
		Stdout: t.Masker.Scrub(result.Stdout, secrets...), Stderr: t.Masker.Scrub(result.Stderr, secrets...),
	}
	if err != nil {
		run.Error = t.Masker.Scrub(text(err), secrets...)
	}
	if !object.Equal(before, t.Values) {
		run.ValuesBefore, run.ValuesAfter = t.shown(before, secrets), t.shown(t.Values, secrets)
	}
	return run
}

// text is an error without what the report of the run tells anyway: the name of the
// hook, and what it wrote.
func text(err error) string {
	var failed *hook.Error
	if errors.As(err, &failed) {
		return failed.Err.Error()
	}
	return err.Error()
}

// changes lists what operations did, masked.
func (t *Hooks) changes(steps []offline.Step, secrets []map[string]any) []report.ObjectChange {
	changes := []report.ObjectChange{}
	for _, s := range steps {
		o := s.Operation
		c := report.ObjectChange{
			Operation: string(o.Verb), APIVersion: o.APIVersion, Kind: o.Kind,
			Namespace: t.Masker.Scrub(o.Namespace, secrets...), Name: t.Masker.Scrub(o.Name, secrets...),
		}
		if s.Before == nil || s.After == nil || !object.Equal(s.Before, s.After) {
			before, after := t.Masker.Pair(s.Before, s.After)
			c.Before, c.After = Scrub(t.Masker, before, secrets...), Scrub(t.Masker, after, secrets...)
		}
		changes = append(changes, c)
	}
	return changes
}

// metrics lists what a hook counted; a hook can write any text into a label.
func (t *Hooks) metrics(all []output.Metric, secrets []map[string]any) []report.Metric {
	out := make([]report.Metric, len(all))
	for i, m := range all {
		out[i] = report.Metric{
			Name: t.Masker.Scrub(m.Name, secrets...), Group: t.Masker.Scrub(m.Group, secrets...),
			Action: string(m.Action), Value: m.Value,
		}
		for name, value := range m.Labels {
			if out[i].Labels == nil {
				out[i].Labels = map[string]string{}
			}
			out[i].Labels[name] = t.Masker.Scrub(value, secrets...)
		}
	}
	return out
}

// notes lists them masked: they tell names that a hook made up.
func (t *Hooks) notes(all []string, secrets []map[string]any) []string {
	out := make([]string, len(all))
	for i, note := range all {
		out[i] = t.Masker.Scrub(note, secrets...)
	}
	return out
}

// secrets are what no text of a report may hold: what is in Secrets, and values and
// settings that a schema marks.
func (t *Hooks) secrets() []map[string]any {
	all := t.Cluster.Secrets()
	for _, value := range append(t.Schemas.Secrets(t.Values), t.Schemas.Secrets(t.Settings)...) {
		if !slices.ContainsFunc(t.madeUp, func(made any) bool { return object.Equal(made, value) }) {
			all = append(all, output.SecretOf(value))
		}
	}
	return all
}

// shown is a copy of values without secrets.
func (t *Hooks) shown(values map[string]any, secrets []map[string]any) map[string]any {
	if !t.Masker.Show {
		values = t.Schemas.Mask(values)
	}
	return Scrub(t.Masker, values, secrets...)
}
