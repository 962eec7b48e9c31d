package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/charthook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/probe"
)

// stages gives a run the order of the manifests of its file, and the work that
// stands between them: hooks of charts, and tests.
func (o *applyOptions) stages(env *Env, r round, sessions sessionSet) ([]plan.Stage, map[string]apply.Gate, error) {
	if r.p.source == nil || r.p.source.file == nil {
		return nil, nil, nil
	}
	due := r.p.hooksDue(r.plan)
	needs := r.p.source.file.Dependencies()
	gates := map[string]apply.Gate{}
	var stages []plan.Stage
	for _, m := range r.p.source.file.Tazuna.Spec.Manifests {
		if !r.p.source.selected[m.Name] {
			continue
		}
		stage := plan.Stage{Manifest: m.Name, After: needs[m.Name]}
		if o.everyRecord { // what is destroyed is not tested
			work := manifestWork{options: o, env: env, round: r, sessions: sessions, name: m.Name, due: r.p.deleteHooks(m.Name)}
			stage.Deletion = len(work.due) > 0
			if stage.Deletion {
				gates[plan.GateDeletion(m.Name)] = func(ctx context.Context) error {
					return work.hooks(ctx, func(dueHook) chart.Event { return chart.PreDelete })
				}
				gates[plan.GateDeleted(m.Name)] = func(ctx context.Context) error {
					return work.hooks(ctx, func(dueHook) chart.Event { return chart.PostDelete })
				}
			}
			stages = append(stages, stage)
			continue
		}
		probes, err := compiled(m.Tests)
		if err != nil {
			return nil, nil, err
		}
		work := manifestWork{options: o, env: env, round: r, sessions: sessions, name: m.Name, probes: probes}
		for _, d := range due {
			if d.manifest == m.Name {
				work.due = append(work.due, d)
			}
		}
		if stage.Before = work.hasBefore(); stage.Before {
			gates[plan.GateBefore(m.Name)] = work.before
		}
		if stage.Behind = work.hasBehind(); stage.Behind {
			gates[plan.GateBehind(m.Name)] = work.behind
		}
		stages = append(stages, stage)
	}
	return stages, gates, nil
}

// manifestWork is what has to be done around the objects of one manifest.
type manifestWork struct {
	options  *applyOptions
	env      *Env
	round    round
	sessions sessionSet
	name     string
	due      []dueHook
	probes   []*probe.Probe
}

func (w manifestWork) hasBefore() bool {
	return slices.ContainsFunc(w.due, func(d dueHook) bool { return len(d.at(d.before())) > 0 })
}

func (w manifestWork) hasBehind() bool {
	return len(w.probes) > 0 || slices.ContainsFunc(w.due, func(d dueHook) bool { return len(d.at(d.behind())) > 0 })
}

func (w manifestWork) before(ctx context.Context) error { return w.hooks(ctx, dueHook.before) }

// behind runs hooks and then tests: these are about what is there in the end.
func (w manifestWork) behind(ctx context.Context) error {
	if err := w.hooks(ctx, dueHook.behind); err != nil {
		return err
	}
	return runProbes(ctx, w.env, w.round.p, w.probes)
}

func (w manifestWork) hooks(ctx context.Context, event func(dueHook) chart.Event) error {
	session := w.sessions[w.name]
	if session == nil {
		return nil
	}
	namespace, _ := w.round.p.client.Namespace()
	runner := charthook.Runner{
		Cluster: w.round.p.client, Clock: w.env.Clock, Manifest: w.name, Namespace: namespace,
		Validation: capitalised(w.options.validate), FieldManager: w.options.policy.fieldManager, Timeout: w.options.timeout,
		Alive: session.Alive, Tell: func(text string) { w.env.note("%s", text) },
	}
	for _, d := range w.due {
		if err := runner.Run(ctx, d.Name, d.Hooks, event(d)); err != nil {
			return err
		}
	}
	return nil
}

// texts are what manifests print once they are applied. They are secret.
func (p *prepared) texts(env *Env, show bool) {
	for _, r := range p.results {
		switch {
		case r.Text == "" || !p.source.selected[r.Manifest]:
		case show:
			fmt.Fprint(env.Out, r.Text)
		default:
			env.note("manifest %s prints %s, with --show-secrets", r.Manifest, counted(strings.Count(r.Text, "\n"), "secret value"))
		}
	}
}
