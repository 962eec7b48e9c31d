package release

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/release/common"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/nelm"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// Preview plans what an upgrade to the request would do to the objects of the release,
// whether it is due or not, and writes nothing. What Upgrade would end with is an
// operation of its object (blocked, refuse, error) or Plan.Disorder. Notes of the plan
// tell whether it is due, and which hooks run; hooks are no objects of it.
func (s *Service) Preview(ctx context.Context, r Request) (*plan.Plan, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	u := &upgrade{Service: s, Request: r, id: identity{r.Namespace, r.Instance, r.Name()}}
	merged, err := u.preview(ctx)
	if err != nil {
		return nil, fmt.Errorf("compare release '%s': %w", u.id.name, withCause(ctx, err))
	}
	return merged, nil
}

func (u *upgrade) preview(ctx context.Context) (*plan.Plan, error) {
	var err error
	if u.checksum, err = u.Checksum(); err != nil {
		return nil, err
	}
	if u.history, err = u.store().history(ctx, u.Namespace, u.id.name); err != nil {
		return nil, err
	}
	due, err := u.decide(ctx, latest(u.history))
	if err != nil {
		return nil, err
	}
	if u.arranged.parts == nil { // in maintenance decide doesn't look at them
		if u.arranged, err = u.arrange(ctx, u.id, u.Objects, u.Hooks); err != nil {
			return nil, err
		}
	}
	stages, faults, err := u.compare(ctx)
	if err != nil {
		return nil, err
	}
	merged := &plan.Plan{Context: u.Cluster.Context(), Warnings: slices.Clone(u.outcome.Warnings), Disorder: faults}
	merged.Notes = append(merged.Notes, u.whyPreview(due))
	for _, st := range stages {
		u.merge(merged, st, due)
	}
	slices.SortStableFunc(merged.Objects, func(a, b *plan.Object) int { return leaves(a) - leaves(b) })
	return merged, nil
}

func leaves(o *plan.Object) int {
	if o.Op == plan.OpDelete {
		return 1
	}
	return 0
}

// whyPreview says whether what the plan shows would be done.
func (u *upgrade) whyPreview(due bool) string {
	switch last := latest(u.history); {
	case last != nil && last.Status == common.StatusUninstalling:
		return "an uninstallation of the release that was begun is ended first, which deletes its objects"
	case due:
		return "an upgrade is due: " + u.outcome.Why
	case u.Maintenance:
		return "no upgrade is due: " + u.outcome.Why
	}
	return "no upgrade is due: " + u.outcome.Why + ". What others changed stays until one is"
}

// merge takes over the objects of a stage. Hooks become notes.
func (u *upgrade) merge(into *plan.Plan, st *stage, due bool) {
	hooks := map[object.Ref]bool{}
	for _, p := range u.arranged.at(u.action(), st.name) {
		if p.hook != nil {
			ref := p.object.Ref()
			hooks[ref] = true
			if due {
				into.Notes = append(into.Notes, fmt.Sprintf("hook %s-%s: %s %s", st.name, u.action(), strings.ToLower(ref.Kind), ref.Name))
			}
		}
	}
	for _, o := range st.plan.Objects {
		if hooks[o.Ref] {
			continue
		}
		if !due && o.Op == plan.OpReplace && len(o.Differences) == 0 && st.rules[o.Ref].Deletes(nelm.BeforeCreation) {
			o.Op = plan.OpNone // it is made anew by an upgrade only
		}
		into.Objects = append(into.Objects, o)
	}
	into.Leftover = append(into.Leftover, st.plan.Leftover...)
	into.Warnings = append(append(into.Warnings, st.plan.Warnings...), st.order.warnings...)
}

// compare plans all stages as far as that can be done; faults say why the upgrade would
// end before anything is written, beside what is wrong with single objects.
func (u *upgrade) compare(ctx context.Context) (stages []*stage, faults, err error) {
	var all []error
	stages, err = u.eachStage(ctx, func(st *stage, _ error) error {
		if slices.ContainsFunc(st.plan.Objects, func(o *plan.Object) bool { return o.Op == plan.OpError }) {
			return nil // it has no order
		}
		order, err := orderOf(st.plan, st.rules, st.answerable)
		st.order = order
		all = append(all, err)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return stages, errors.Join(append(all, unmet(stages))...), nil
}
