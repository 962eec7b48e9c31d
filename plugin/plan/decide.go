package plan

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// evidence is what a decision about one existing object rests on.
type evidence struct {
	cmp       comparison
	ownership ownership
	// result is the server's answer to a forced dry-run, nil when there is none;
	// both it and live are free of server-owned metadata.
	result, live map[string]any
	schema       *cluster.Schema
	custom       bool
	// desired and applied are the compared bodies; files is what was wanted before
	// rules changed it.
	desired, applied, files map[string]any
	// last is what was applied last, before rules changed it.
	last   map[string]any
	policy Policy
	// basis tells where applied came from; left are the paths that the cluster
	// decides.
	basis Basis
	left  []fieldpath.Path
	// byRules tells which rules decided about which paths.
	byRules rebased
	// excluded paths are judged by the files against the last apply.
	excluded []fieldpath.Path
	// marks are those of other tools that are the user's here.
	marks []mark
	// adopts: fields are taken over from another tool, so that there will be an
	// apply whatever differs.
	adopts bool
}

// decision is what the evidence says about one object.
type decision struct {
	op            Op
	force         bool
	shown, hidden []Difference
	overridden    []Author
}

// decide turns the differences of one existing object into one operation.
func decide(e evidence) decision {
	var out decision
	for _, j := range settle(e) {
		if j.verdict == VerdictIneffective || (j.verdict == VerdictServer && !j.asked) {
			out.hidden = append(out.hidden, e.difference(j))
			continue
		}
		out.shown = append(out.shown, e.difference(j))
		out.force = out.force || j.verdict == VerdictDrift || (j.verdict == VerdictChange && e.ownership.adoptedAt(j.finding))
	}
	out.op = operation(&out, e.policy)
	if out.op != OpRefuse {
		out.force = out.force || inOtherWords(e)
	}
	return out
}

// inOtherWords reports whether another manager owns a value that the files have in
// other words: without a default, as another spelling of a quantity, or so that the
// server undoes it. An apply changes none of these, as the dry-run has shown, but
// the server compares the words and would call them a conflict.
func inOtherWords(e evidence) bool {
	if e.result == nil {
		return false
	}
	for _, entry := range e.ownership.entries {
		if e.ownership.ours(entry.author) {
			continue
		}
		found := false
		entry.fields.Leaves().Iterate(func(p fieldpath.Path) {
			d, l := lookup(e.desired, p), lookup(e.live, p)
			found = found || d.ok && l.ok && !object.Equal(d.v, l.v)
		})
		if found {
			return true
		}
	}
	return false
}

// operation names what is done; a conflict refuses the object as a whole.
func operation(d *decision, p Policy) Op {
	if len(d.shown) == 0 {
		return OpNone
	}
	for _, diff := range d.shown {
		if diff.Verdict != VerdictConflict {
			continue
		}
		if !p.ForceConflicts {
			return OpRefuse
		}
		d.force = true
		d.overridden = append(d.overridden, diff.Authors...)
	}
	return OpUpdate
}

// judged is a finding with its verdict. asked is true for what the files or
// our last apply name, and for everything once such a thing changes.
type judged struct {
	finding
	verdict Verdict
	asked   bool
}

// settle judges every finding and lets the server's dry-run have the last word.
func settle(e evidence) []judged {
	if e.result == nil {
		return localOnly(e)
	}
	server := compareExact(e.result, e.live, e.schema, e.custom).findings
	var out []judged
	asked := e.adopts
	for _, f := range e.cmp.findings {
		v := confirm(judge(f, e.ownership), f, server)
		asked = asked || v != VerdictIneffective
		out = append(out, judged{finding: f, verdict: v, asked: true})
	}
	for _, f := range server {
		if relatedToAny(f, e.cmp.findings) {
			continue
		}
		v := unasked(f, e)
		asked = asked || v != VerdictServer
		out = append(out, judged{finding: f, verdict: v, asked: v != VerdictServer})
	}
	for i := range out {
		// What the server adds is only worth showing beside a change that is made.
		out[i].asked = out[i].asked || asked
	}
	return out
}

func localOnly(e evidence) []judged {
	out := make([]judged, 0, len(e.cmp.findings))
	for _, f := range e.cmp.findings {
		out = append(out, judged{finding: f, verdict: judge(f, e.ownership), asked: true})
	}
	return out
}

// confirm corrects a local verdict by what the server would really change.
func confirm(v Verdict, f finding, server []finding) Verdict {
	if v == VerdictRelease && goes(f, server) {
		return VerdictRemove // whoever owns it, or something in it, doesn't keep it
	}
	if f.excluded || v == VerdictRelease || relatedToAny(f, server) {
		return v
	}
	if v == VerdictRemove {
		return VerdictRelease // the value stays: it is the server's default
	}
	return VerdictIneffective
}

// goes reports whether the server would take the value of a finding out as a whole.
func goes(f finding, server []finding) bool {
	return slices.ContainsFunc(server, func(g finding) bool {
		return g.l.ok && !g.d.ok && len(g.path) <= len(f.path) && related(g.path, f.path)
	})
}

// unasked judges what the dry-run changes although the walk named no
// difference there: inside an atomic container of ours it is somebody's
// addition, elsewhere it is the server's own doing.
func unasked(f finding, e evidence) Verdict {
	if f.order {
		return reordering(f, e)
	}
	if f.atomic == nil {
		return emptied(f, e)
	}
	f.wholeD, f.wholeA = lookup(e.desired, f.atomic), lookup(e.applied, f.atomic)
	if !f.wholeD.ok {
		return VerdictServer
	}
	return judge(f, e.ownership)
}

// emptied judges what goes as a whole because the files have it empty.
func emptied(f finding, e evidence) Verdict {
	result := f.d
	f.d, f.a = lookup(e.desired, f.path), lookup(e.applied, f.path)
	if result.ok || !f.d.ok || !emptyish(f.d.v) || emptyish(f.l.v) {
		return VerdictServer
	}
	return judge(f, e.ownership)
}

// reordering judges elements that the apply would put into another order: that
// of the files, if they name the list.
func reordering(f finding, e evidence) Verdict {
	d, a := lookup(e.desired, f.path), lookup(e.applied, f.path)
	switch {
	case !d.ok:
		return VerdictServer
	case a.ok && object.Equal(d.v, a.v):
		return VerdictDrift
	default:
		return VerdictChange
	}
}

// relatedToAny reports whether a finding is about the same as one of the list. That
// elements stand in another order says nothing about what is in them.
func relatedToAny(f finding, list []finding) bool {
	for _, g := range list {
		if f.order && len(g.path) > len(f.path) || g.order && len(f.path) > len(g.path) {
			continue
		}
		if related(f.path, g.path) || (f.atomic != nil && g.atomic != nil && related(f.atomic, g.atomic)) {
			return true
		}
	}
	return false
}

// related reports whether one path lies in the other.
func related(a, b fieldpath.Path) bool {
	n := min(len(a), len(b))
	return a[:n].Equals(b[:n])
}
