package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Basis says where the last applied values of an object came from.
type Basis string

// Where last applied values come from, best first (docs/state.md).
const (
	BasisUnchanged  Basis = "the record: the files are as they were applied last"
	BasisRecord     Basis = "the record's copy of the last apply"
	BasisKapp       Basis = "the annotation " + kappOriginal
	BasisAnnotation Basis = "the annotation " + lastAppliedAnnotation
	BasisHelm       Basis = "the manifest of its Helm release"
	BasisFields     Basis = "managedFields alone: which fields are ours is known, what they were is not"
)

// Explanation says, path by path, why an object's verdict is what it is.
type Explanation struct {
	ObjectReport
	// Basis tells where the last applied values came from; empty for objects
	// that don't exist or were not looked at.
	Basis Basis           `json:"basis,omitempty"`
	Paths []ExplainedPath `json:"paths"`
}

// ExplainedPath is one path that the files or the last apply name.
type ExplainedPath struct {
	Difference
	// Applied is the value applied last, where it is known.
	Applied    any  `json:"applied,omitempty"`
	HasApplied bool `json:"hasApplied"`
	// Owners are all managers of the path, ours included.
	Owners []Author `json:"owners,omitempty"`
}

// Explain explains one object of the plan, which was made with Planner.Refresh and
// Planner.KeepEvidence.
// Values are masked.
func (p *Plan) Explain(o *Object, mask object.Masker) Explanation {
	how := reporting{mask: mask, rules: p.rules}
	out := Explanation{ObjectReport: how.object(o), Paths: []ExplainedPath{}}
	if o.evidence == nil {
		return out
	}
	e := *o.evidence
	out.Basis = e.basis
	bodies := how.maskFor(o).All(o.Live, e.files, e.last)
	for _, j := range e.everything() {
		d := e.difference(j)
		l, w, a := lookup(bodies[0], d.at), lookup(bodies[1], d.at), lookup(bodies[2], d.at)
		d.Live, d.Desired = l.v, w.v
		out.Paths = append(out.Paths, ExplainedPath{
			Difference: d, Applied: a.v, HasApplied: a.ok,
			Owners: e.ownership.filter(j.finding, func(Author) bool { return true }),
		})
	}
	return out
}

// everything judges all paths that the files or the last apply name, also those
// at which nothing differs.
func (e evidence) everything() []judged {
	c := comparer{custom: e.custom, exclude: e.excluded, all: true}
	c.walk(scope{schema: e.schema}, mapValue(e.desired), mapValue(e.applied), mapValue(e.live))
	differing := settle(e)
	var out []judged
	for _, f := range c.out.findings {
		if !coveredByJudged(f, differing) {
			out = append(out, judged{finding: f, verdict: VerdictSame})
		}
	}
	out = append(out, differing...)
	return append(out, e.ruledPaths(out)...)
}

func coveredByJudged(f finding, list []judged) bool {
	for _, j := range list {
		if len(j.path) <= len(f.path) && related(j.path, f.path) {
			return true
		}
	}
	return false
}

// difference is the shown form of a judged path with the reason of its verdict.
func (e evidence) difference(j judged) Difference {
	d := difference(j.finding, j.verdict, e.ownership)
	d.Because = because(j, e)
	return d
}

// because words the row of the table that decided.
func because(j judged, e evidence) string {
	if by := e.decidedBy(j.path); by != "" {
		return by
	}
	switch j.verdict {
	case VerdictSame:
		return "the files and the live object agree"
	case VerdictDrift:
		return "the files are as applied last, the live value is not: somebody changed it, and an apply puts it back"
	case VerdictConflict:
		return fmt.Sprintf("the files say something new, and %s set another value: the object is refused", managersOf(e.ownership.others(j.finding)))
	case VerdictRemove:
		return "it was applied last, the files no longer name it, and nobody else owns it"
	case VerdictRelease:
		if others := e.ownership.others(j.finding); len(others) > 0 {
			return "it was applied last and the files no longer name it, but " + managersOf(others) + " keeps it"
		}
		return "it was applied last and the files no longer name it; the server's default is the same"
	case VerdictIneffective:
		return "the files differ from the live object, but the server's dry-run gives the live value: an apply would change nothing"
	case VerdictServer:
		return "neither the files nor the last apply name it: the server or a webhook would change it beside an apply"
	case VerdictChange:
		return becauseChange(j, e)
	default:
		return ""
	}
}

func becauseChange(j judged, e evidence) string {
	switch {
	case !j.l.ok:
		return "the files name it and the live object doesn't have it"
	case j.a.ok || e.applied != nil:
		return "the files say something else than the last apply"
	default:
		return "what was applied last is not known, and the live value differs"
	}
}

func managersOf(list []Author) string {
	var names []string
	for _, a := range list {
		names = append(names, fmt.Sprintf("%s (%s)", a.Manager, a.Operation))
	}
	return strings.Join(names, ", ")
}

// Under reports whether a path lies at or below a prefix, as users write it:
// with or without the leading dot.
func (d Difference) Under(prefix string) bool {
	want := "." + strings.TrimPrefix(prefix, ".")
	return prefix == "" || d.Path == want || strings.HasPrefix(d.Path, want+".") || strings.HasPrefix(d.Path, want+"[")
}

// Under narrows an explanation to a path and what lies below it.
func (e Explanation) Under(path string) Explanation {
	e.Paths = slices.DeleteFunc(slices.Clone(e.Paths), func(p ExplainedPath) bool { return !p.Difference.Under(path) })
	if len(e.Paths) == 0 && e.Basis != "" {
		e.Notes = append(slices.Clip(e.Notes), "neither the files nor the last apply name "+path+": what is live there is neither compared nor touched")
	}
	return e
}

// Select lists the planned objects that a selection wants.
func (p *Plan) Select(s Selection) []*Object {
	how := reporting{mask: object.DefaultMasker(), rules: p.rules}
	return slices.DeleteFunc(slices.Clone(p.Objects), func(o *Object) bool {
		return !s.selects(how.object(o))
	})
}
