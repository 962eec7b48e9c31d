package plan

import (
	"slices"

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
	rulings []ruling
}

// ruling is a rule that had to say something about a path.
type ruling struct {
	path fieldpath.Path
	by   config.Place
}

// ruleAt tells which rule decided about a path: the last one that wrote it,
// something in it or what it lies in.
func (r rebased) ruleAt(p fieldpath.Path) (by config.Place, ok bool) {
	for _, ruling := range slices.Backward(r.rulings) {
		if related(ruling.path, p) {
			return ruling.by, true
		}
	}
	return config.Place{}, false
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
	for _, p := range outermost(r.touched()) {
		r.classify(p, lookup(r.working, p), lookup(desired, p), lookup(live, p))
	}
	r.exclude(c.ExistingExclusions)
	r.out.left, r.out.removed = outermost(r.out.left), outermost(r.out.removed)
	return r.out
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
	out     rebased
}

// touched are the paths that some rule wrote or removed.
func (r *rebasing) touched() []fieldpath.Path {
	out := make([]fieldpath.Path, len(r.out.rulings))
	for i, ruling := range r.out.rulings {
		out[i] = ruling.path
	}
	return out
}

func (r *rebasing) apply(rule config.RebaseRule, path config.RulePath) {
	for _, p := range concrete(path, r.schema, r.working, r.desired, r.live) {
		if !reaches(r.working, p) {
			continue
		}
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
		r.keepIdentity()
		r.out.rulings = append(r.out.rulings, ruling{p, rule.At})
	}
}

// keepIdentity undoes what a rule did to that which makes an object this one.
func (r *rebasing) keepIdentity() {
	for _, p := range identityPaths() {
		have, want := lookup(r.working, p), lookup(r.desired, p)
		switch {
		case have.ok == want.ok && object.Equal(have.v, want.v):
		case want.ok:
			r.working = with(r.working, p, want.v)
		default:
			r.working = without(r.working, p)
		}
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
			r.out.rulings = append(r.out.rulings, ruling{p, rule.At})
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

// identityPaths say which object it is.
func identityPaths() []fieldpath.Path {
	return []fieldpath.Path{
		keyPath([]string{"apiVersion"}), keyPath([]string{"kind"}),
		keyPath([]string{"metadata", "name"}), keyPath([]string{"metadata", "namespace"}),
	}
}

// identity reports whether a path is one of identityPaths.
func identity(p fieldpath.Path) bool {
	return slices.ContainsFunc(identityPaths(), p.Equals)
}

// aboveIdentity reports whether some of the identity lies in the value at a path.
func aboveIdentity(p fieldpath.Path) bool {
	return slices.ContainsFunc(identityPaths(), func(q fieldpath.Path) bool { return len(p) < len(q) && related(p, q) })
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
