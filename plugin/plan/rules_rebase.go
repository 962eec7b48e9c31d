package plan

import (
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// rebased is what the rules make of an object that exists.
type rebased struct {
	// left are the paths whose live value stands, whatever the files say: where
	// our entry owns one the live value is sent, else it is left out; neither is
	// a difference.
	left []fieldpath.Path
	// removed are the paths to take out of what is wanted.
	removed []fieldpath.Path
}

// rebase runs the rules that say who decides: rebaseRules in their order, each
// on the result of the ones before, then the exclusions of the diff against what
// exists. Both bodies have the form of comparable. Without a live object no rule
// has anything to say: an object is created as the files have it.
func rebase(c *config.KappConfig, s *cluster.Schema, desired, live map[string]any) rebased {
	if c == nil || desired == nil || live == nil {
		return rebased{}
	}
	r := rebasing{schema: s, desired: desired, live: live, working: desired}
	for _, rule := range c.RebaseRules {
		if !selectsAny(rule.Matchers, r.working) {
			continue
		}
		for _, path := range rule.Paths {
			r.apply(rule, path)
		}
	}
	for _, p := range outermost(r.touched) {
		r.classify(p, lookup(r.working, p), lookup(desired, p), lookup(live, p))
	}
	r.exclude(c.ExistingExclusions)
	return rebased{left: outermost(r.out.left), removed: outermost(r.out.removed)}
}

// leftToCluster lists the paths that the cluster decides by the rules: those that
// a copy rule fills with the live value, and those that are excluded from the
// diff against what exists.
func leftToCluster(c *config.KappConfig, s *cluster.Schema, desired, live map[string]any) []fieldpath.Path {
	return rebase(c, s, desired, live).left
}

// removed lists the paths that the rules take out of what is wanted.
func removed(c *config.KappConfig, s *cluster.Schema, desired, live map[string]any) []fieldpath.Path {
	return rebase(c, s, desired, live).removed
}

// rebasing is one run of the rules over one object.
type rebasing struct {
	schema        *cluster.Schema
	desired, live map[string]any
	// working is what is wanted after the rules so far.
	working map[string]any
	// touched are the paths that some rule wrote or removed.
	touched []fieldpath.Path
	out     rebased
}

func (r *rebasing) apply(rule config.RebaseRule, path config.RulePath) {
	for _, p := range concrete(path, r.schema, r.working, r.desired, r.live) {
		if !reaches(r.working, p) {
			continue
		}
		before := r.working
		switch rule.Type {
		case config.RebaseRemove:
			r.working = without(r.working, p)
		case config.RebaseCopy:
			v := r.source(rule.Sources, p)
			if !v.ok {
				continue
			}
			r.working = with(r.working, p, v.v)
		}
		if object.RefOf(r.working) != object.RefOf(before) {
			r.working = before // what an object is can't come from anywhere else
		}
		r.touched = append(r.touched, p)
	}
}

// source is the value of the first source that has one.
func (r *rebasing) source(sources []config.RebaseSource, p fieldpath.Path) value {
	for _, s := range sources {
		from := r.desired
		if s == config.SourceExisting {
			from = r.live
		}
		if v := lookup(from, p); v.ok {
			return v
		}
	}
	return value{}
}

// classify compares what the rules made of a path with where it may come from.
// Where rules have mixed both sides the answer differs from child to child.
func (r *rebasing) classify(p fieldpath.Path, working, desired, live value) {
	switch {
	case identity(p):
	case working.ok == desired.ok && object.Equal(working.v, desired.v):
	case !working.ok:
		r.out.removed = append(r.out.removed, p)
	case live.ok && object.Equal(working.v, live.v) && !aboveIdentity(p):
		r.out.left = append(r.out.left, p)
	default:
		for _, e := range children(schemaAt(r.schema, p), working, desired, live) {
			r.classify(append(p[:len(p):len(p)], e), step(working, e), step(desired, e), step(live, e))
		}
	}
}

// exclude adds what is not compared once an object exists. Where the cluster has
// nothing the wanted value is not put there again.
func (r *rebasing) exclude(rules []config.FieldRule) {
	for _, rule := range rules {
		if !selectsAny(rule.Matchers, r.desired) {
			continue
		}
		for _, p := range concrete(rule.Path, r.schema, r.desired, r.live) {
			switch {
			case identity(p) || aboveIdentity(p):
			case lookup(r.live, p).ok:
				r.out.left = append(r.out.left, p)
			default:
				r.out.removed = append(r.out.removed, p)
			}
		}
	}
}

// children names what lies directly in the values, whatever they are.
func children(s *cluster.Schema, values ...value) []fieldpath.PathElement {
	if lists := listsOf(values); len(lists) > 0 {
		return elements(s, lists...)
	}
	var out []fieldpath.PathElement
	for _, key := range union(mapsOf(values)...) {
		out = append(out, field(key))
	}
	return out
}

// identity reports whether a path says which object it is.
func identity(p fieldpath.Path) bool {
	switch text := p.String(); text {
	case ".apiVersion", ".kind", ".metadata.name", ".metadata.namespace":
		return true
	default:
		return false
	}
}

// aboveIdentity reports whether the identity lies in the value at the path.
func aboveIdentity(p fieldpath.Path) bool {
	return len(p) == 0 || len(p) == 1 && p.String() == ".metadata"
}

// outermost drops every path that lies in another of the list, or is one.
func outermost(paths []fieldpath.Path) []fieldpath.Path {
	var out []fieldpath.Path
	for i, p := range paths {
		if !coveredBy(p, paths, i) {
			out = append(out, p)
		}
	}
	return out
}

// coveredBy reports whether a path before the i-th is the same as p, or any of
// the list is above it.
func coveredBy(p fieldpath.Path, paths []fieldpath.Path, i int) bool {
	for j, q := range paths {
		if len(q) < len(p) && related(q, p) || j < i && q.Equals(p) {
			return true
		}
	}
	return false
}
