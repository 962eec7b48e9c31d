package undo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// Run is a run that is to be taken back.
type Run struct {
	// Plan is what it was to do, with the live objects of before.
	Plan *plan.Plan
	// Written are the objects that it changed in the cluster.
	Written map[object.Ref]bool
	// Before are the records as they were, by manifest.
	Before map[string]*state.Record
	// Hasher has the key that the records' hashes were made with.
	Hasher object.Hasher
}

// Lost is something that can't be taken back, and why.
type Lost struct {
	Ref    object.Ref
	Reason string
}

// String is a line for people.
func (l Lost) String() string { return fmt.Sprintf("%s: %s", l.Ref, l.Reason) }

// Back is what there is to do.
type Back struct {
	// Objects are wanted again as they were recorded, by manifest.
	Objects map[string][]object.Object
	// Lost can't be taken back, or not in whole, in the order of the plan.
	Lost []Lost
	// Unready go back to how they were before, which was not ready: that is not waited for.
	Unready []object.Ref
	// touched are the objects that may be written.
	touched map[object.Ref]bool
}

// Back decides about each object that the run wrote.
func (r Run) Back() Back {
	out := Back{Objects: map[string][]object.Object{}, touched: map[object.Ref]bool{}}
	for _, o := range r.Plan.Objects {
		if !r.Written[o.Ref] {
			continue
		}
		entry, recorded := r.before(o.Ref)
		if !recorded {
			if o.Live != nil {
				out.lose(o.Ref, "it was there and in no record: it stays as this run left it, and is recorded")
				continue
			}
			out.touched[o.Ref] = true // it was made by this run, and no file of before wants it
			continue
		}
		body, reason := r.body(entry, o)
		if body == nil {
			out.lose(o.Ref, reason)
			continue
		}
		out.touched[o.Ref] = true
		out.note(o)
		if o.Live != nil && !r.Plan.WasReady(o) {
			out.Unready = append(out.Unready, o.Ref)
		}
		out.Objects[entry.Key.Manifest] = append(out.Objects[entry.Key.Manifest], object.Object{
			Body: body, Origin: object.Origin{File: "the record of manifest " + entry.Key.Manifest + ", from before the run"},
		})
	}
	return out
}

func (b *Back) lose(ref object.Ref, reason string) {
	b.Lost = append(b.Lost, Lost{Ref: ref, Reason: reason})
}

// note tells what an object doesn't get back although its fields go back.
func (b *Back) note(o *plan.Object) {
	switch {
	case o.Op == plan.OpDelete && o.Live != nil, o.Op == plan.OpReplace:
		b.lose(o.Ref, "it was deleted: it is made again from what was recorded, as a new object")
	case len(o.Overridden) > 0:
		var names []string
		for _, a := range o.Overridden {
			names = append(names, a.Manager)
		}
		slices.Sort(names)
		b.lose(o.Ref, "fields were taken from "+strings.Join(slices.Compact(names), ", ")+": they are not given back")
	}
}

// before finds the entry that an object had, in whichever record. One of an apply
// that never ended is none.
func (r Run) before(ref object.Ref) (state.Entry, bool) {
	for _, m := range r.Plan.Manifests {
		if rec := r.Before[m.Name]; rec != nil {
			if e, ok := rec.Find(ref); ok && e.ContentHash != "" {
				return e, true
			}
		}
	}
	return state.Entry{}, false
}

// body is what was recorded, with the values that the record knows by their hashes.
func (r Run) body(e state.Entry, o *plan.Object) (body map[string]any, reason string) {
	body = e.LastApplied()
	if body == nil {
		return nil, "what was applied before isn't known: the record holds its hash only"
	}
	body = r.Hasher.Reveal(body, object.HidePaths(e.Key.Ref(), e.Hidden), o.Live, o.Desired.Body)
	body = revealSecret(r.Hasher, body, o.Live, o.Desired.Body)
	if holdsHash(body) {
		return nil, "the record knows values of it by their hashes only, and they were not live any more"
	}
	return body, ""
}

// Only cuts a plan down to what the run wrote. What else the records list, or needs
// to be written, is none of it; nor is readiness that there was none of before.
func (b Back) Only(p *plan.Plan) {
	p.Objects = slices.DeleteFunc(p.Objects, func(o *plan.Object) bool { return !b.touched[o.Ref] })
	p.Leftover, p.Notes = nil, nil
	for _, o := range p.Objects {
		o.Strategy.NoWait = o.Strategy.NoWait || slices.Contains(b.Unready, o.Ref)
	}
	for i := range p.Manifests {
		m := &p.Manifests[i]
		m.Gone = slices.DeleteFunc(m.Gone, func(k state.Key) bool { return !b.touched[k.Ref()] })
	}
}
