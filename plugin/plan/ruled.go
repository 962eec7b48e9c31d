package plan

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// hiddenByRules are the differences between the files and the live object that a
// rule keeps out of the diff: somebody who wonders where they are should find them.
// Fields that the files leave empty for the cluster to fill are none.
func (e evidence) hiddenByRules() []Difference {
	var out []Difference
	add := func(p fieldpath.Path, because string) {
		d, l := lookup(e.files, p), lookup(e.live, p)
		if !d.ok || emptyish(d.v) || (&comparer{custom: e.custom}).equal(schemaAt(e.schema, p), d, l) {
			return
		}
		out = append(out, Difference{
			Path: p.String(), Verdict: VerdictLeft, at: p, Because: because,
			Live: l.v, HasLive: l.ok, Desired: d.v, HasDesired: d.ok,
		})
	}
	for _, p := range slices.Concat(e.byRules.left, e.byRules.removed) {
		add(p, e.decidedBy(p))
	}
	for _, p := range e.excludedDifferences() {
		add(p, e.decidedBy(p))
	}
	return out
}

// excludedDifferences are the paths in excluded ones at which the live value is not
// the files', while the files are as they were applied.
func (e evidence) excludedDifferences() []fieldpath.Path {
	named := func(p fieldpath.Path) bool { return lookup(e.desired, p).ok }
	if !slices.ContainsFunc(e.excluded, named) {
		return nil
	}
	var out []fieldpath.Path
	for _, f := range compare(e.desired, nil, e.live, e.schema, e.custom, nil).findings {
		if excluded(f.path, e.excluded) && !relatedToAny(f, e.cmp.findings) {
			out = append(out, f.path)
		}
	}
	return out
}

// decidedBy says which rule, or what else, decided that a path is not compared as
// any other; empty where nothing did.
func (e evidence) decidedBy(p fieldpath.Path) string {
	within := func(list []fieldpath.Path) bool {
		return slices.ContainsFunc(list, func(q fieldpath.Path) bool { return len(q) <= len(p) && related(q, p) })
	}
	by, ruled := e.byRules.ruleAt(p)
	switch {
	case ruled && within(e.byRules.removed):
		return "taken out of what is wanted by " + by.String()
	case ruled && within(e.byRules.left):
		return "left to the cluster by " + by.String()
	case within([]fieldpath.Path{replicasPath()}) && within(e.left):
		return "left to the autoscaler"
	case within(e.left):
		return "left to the controllers that write it"
	case !within(e.excluded):
		return ""
	}
	if by, ok := excludedBy(e.policy.Rules, e.schema, p, e.desired, e.applied, e.live); ok {
		return "judged by the files against the last apply alone, by " + by.String()
	}
	return "judged by the files against the last apply alone, whatever controllers wrote"
}

// ruledPaths judges the paths of the files that rules took out of the comparison, so
// that they can be explained too.
func (e evidence) ruledPaths(explained []judged) []judged {
	var out []judged
	for _, p := range slices.Concat(e.left, e.byRules.removed) {
		f := finding{path: p, d: lookup(e.files, p), a: lookup(e.applied, p), l: lookup(e.live, p)}
		if f.d.ok && !slices.ContainsFunc(explained, func(j judged) bool { return related(j.path, p) }) {
			out = append(out, judged{finding: f, verdict: e.verdictOfRuled(f)})
		}
	}
	return out
}

func (e evidence) verdictOfRuled(f finding) Verdict {
	if f.l.ok && object.Equal(f.d.v, f.l.v) {
		return VerdictSame
	}
	return VerdictLeft
}
