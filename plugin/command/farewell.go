package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/build"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// farewells name the hooks that releases have around their deletion, in order.
func farewells(releases []build.Release) []state.ReleaseHooks {
	out := []state.ReleaseHooks{}
	for _, r := range releases {
		d := dueHook{Release: r}
		var words []string
		for _, e := range []chart.Event{chart.PreDelete, chart.PostDelete} {
			for _, h := range d.at(e) {
				words = append(words, fmt.Sprintf("%s %s", e, h.Object.Ref()))
			}
		}
		if len(words) > 0 {
			out = append(out, state.ReleaseHooks{Release: r.Name, Namespace: r.Namespace, Hooks: words})
		}
	}
	slices.SortFunc(out, func(a, b state.ReleaseHooks) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Release, b.Release))
	})
	return out
}

// farewells are those that the record of a manifest is to name: those of its charts,
// and while something of it is left over those of charts that left the file. nil for a
// manifest that was not built.
func (p *prepared) farewells(current *plan.Plan, manifest string) []state.ReleaseHooks {
	i := slices.IndexFunc(p.results, func(r build.Result) bool { return r.Manifest == manifest })
	if i < 0 || slices.Contains(p.destroyed, manifest) {
		return nil
	}
	out := farewells(p.results[i].Releases)
	if rec := p.records[manifest]; rec != nil && slices.ContainsFunc(current.Leftover, func(l plan.Leftover) bool { return l.Manifest == manifest }) {
		out = append(out, state.Missing(rec.DeleteHooks, out)...)
	}
	return out
}

// announceFarewells tells of hooks that a run would have run if their chart were still
// in the file, and of records that don't name hooks yet.
func (p *prepared) announceFarewells(current *plan.Plan) {
	for i := range current.Manifests {
		m := &current.Manifests[i]
		wanted := p.farewells(current, m.Name)
		if wanted == nil || m.Record == nil || !m.Record.Exists {
			continue
		}
		if m.Repair == "" && !state.EqualHooks(wanted, m.Record.DeleteHooks) {
			m.Repair = "the record doesn't yet name the hooks around the deletion of its charts"
		}
		deletes := func(o *plan.Object) bool { return o.Manifest == m.Name && o.Op == plan.OpDelete }
		if !slices.ContainsFunc(current.Objects, deletes) {
			continue
		}
		for _, gone := range state.Missing(m.Record.DeleteHooks, wanted) {
			current.Warnings = append(current.Warnings, fmt.Sprintf(
				"manifest %s: the chart of release %s left the file, so its hooks around the deletion don't run: %s", m.Name, gone.Release, strings.Join(gone.Hooks, ", ")))
		}
	}
}

// unknownFarewells refuses to destroy what had hooks around its deletion that nobody
// knows any more, unless it was said that none are to run.
func (p *prepared) unknownFarewells(env *Env, noHooks bool) error {
	for _, name := range p.destroyed {
		var known []state.ReleaseHooks
		for _, r := range p.results {
			if r.Manifest == name {
				known = farewells(r.Releases)
			}
		}
		for _, gone := range state.Missing(p.records[name].DeleteHooks, known) {
			text := fmt.Sprintf("manifest %s: release %s has hooks around its deletion (%s)", name, gone.Release, strings.Join(gone.Hooks, ", "))
			if noHooks {
				env.note("note: %s: they don't run", text)
				continue
			}
			return exit(ExitRefused, fmt.Errorf("%s, and no file of this run has its chart: destroy it with the tazuna.yaml that has it, or --no-hooks deletes without them; nothing was deleted", text))
		}
	}
	return nil
}
