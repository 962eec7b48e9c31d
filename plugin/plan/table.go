package plan

import "github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"

// judge is the table of docs/concepts.md for one path: what the files want (d), what
// we applied last (a) and what is live (l), which differ here.
func judge(f finding, o ownership) Verdict {
	d, a := f.d, f.a
	if f.atomic != nil {
		d, a = f.wholeD, f.wholeA
	}
	switch {
	case f.excluded:
		return VerdictChange
	case !f.d.ok && f.atomic == nil:
		return removal(f, o)
	case d.ok && a.ok && object.Equal(d.v, a.v):
		return VerdictDrift
	case len(o.others(f)) > 0:
		return VerdictConflict
	default:
		return VerdictChange
	}
}

// removal: what left the files goes only if nobody else wants it.
func removal(f finding, o ownership) Verdict {
	if len(o.others(f)) > 0 {
		return VerdictRelease
	}
	return VerdictRemove
}

// difference turns a finding and its verdict into the form that is shown.
func difference(f finding, v Verdict, o ownership) Difference {
	d := Difference{
		Path: f.path.String(), Verdict: v, at: f.path,
		Live: f.l.v, HasLive: f.l.ok, Desired: f.d.v, HasDesired: f.d.ok,
	}
	switch v {
	case VerdictDrift:
		d.Authors = o.strangers(f)
		d.AuthorUnknown = len(d.Authors) == 0
	case VerdictConflict, VerdictRelease:
		d.Authors = o.others(f)
	case VerdictChange:
		if !f.a.ok && f.l.ok && !f.excluded {
			// Without a last applied value nobody can tell our change from theirs:
			// say who wrote what is there now.
			d.Authors = o.strangers(f)
		}
	}
	return d
}
