package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// Versions is what a run does about the versions of a manifest's versioned objects,
// beside making and keeping the wanted ones, which are among its objects.
type Versions struct {
	// Kept are earlier versions that stay as they are, though no file names them.
	Kept []object.Ref
	// shown tells for each new version what its text diff is against.
	shown map[object.Ref]object.Ref
	// surplus are the oldest versions beyond the number to keep. They are deleted
	// after everything else, whether or not pruning was asked for: the object itself
	// says how many of it there are.
	surplus []object.Ref
}

// Keeps reports whether an object is an earlier version that stays.
func (v Versions) Keeps(ref object.Ref) bool { return slices.Contains(v.Kept, ref) }

// WithVersions gives the versioned objects of a manifest, those with the annotation
// kapp.k14s.io/versioned, the names of the versions that are wanted, and sets the
// references to them. Which versions there are the record says; of an object that it
// has no version of, the cluster is asked.
func (p Planner) WithVersions(ctx context.Context, in Input) (Input, error) {
	if p.Policy.Rules == nil || !slices.ContainsFunc(in.Objects, isVersioned) {
		return in, nil
	}
	existing, err := p.existingVersions(ctx, in)
	if err != nil {
		return in, err
	}
	same := func(wanted object.Object, existing object.Ref) (bool, error) {
		return p.sameVersion(ctx, in, wanted, existing)
	}
	out, err := planVersions(in.Objects, existing, p.Policy.Rules.TemplateRules, same)
	if err != nil {
		return in, err
	}
	if err := unique(out.Objects); err != nil {
		return in, err
	}
	in.Objects = out.Objects
	in.Versions = Versions{Kept: out.Kept, shown: out.Shown, surplus: out.Surplus}
	return in, nil
}

// unique refuses files that name a version themselves.
func unique(objects []object.Object) error {
	from := map[object.Ref]object.Object{}
	for _, o := range objects {
		if first, twice := from[o.Ref()]; twice {
			return fmt.Errorf("%s: %s is also the name of a version of the object in %s", o.Origin, o.Ref(), first.Origin)
		}
		from[o.Ref()] = o
	}
	return nil
}

// existingVersions lists what exists and may be a version or its plain predecessor.
func (p Planner) existingVersions(ctx context.Context, in Input) ([]object.Ref, error) {
	var out []object.Ref
	known := map[object.Ref]bool{}
	if in.Record != nil {
		for _, e := range in.Record.Entries {
			ref := e.Key.Ref()
			out = append(out, ref)
			base, _, ok := splitVersion(ref.Name)
			ref.Name = base
			known[ref] = known[ref] || ok
		}
	}
	listed := map[object.Ref]bool{}
	for _, o := range in.Objects {
		base := o.Ref()
		base.Name, _, _ = splitVersion(base.Name)
		where := base
		where.Name = ""
		if !isVersioned(o) || known[base] || listed[where] {
			continue
		}
		listed[where] = true
		live, err := p.liveVersions(ctx, o)
		if err != nil {
			return nil, err
		}
		out = append(out, live...)
	}
	return out, nil
}

// liveVersions lists the live objects of a kind and namespace that are versions.
// Where they can't be listed there are none to go by: the plan says what of the
// objects can't be read.
func (p Planner) liveVersions(ctx context.Context, o object.Object) ([]object.Ref, error) {
	m, err := p.Cluster.Mapping(ctx, o.Ref().GroupKind(), o.GVK().Version)
	if err != nil {
		return nil, nil //nolint:nilerr // the plan reports kinds that are not served
	}
	list, err := p.Cluster.List(ctx, m, cluster.ListOptions{Namespace: o.Namespace(), MetadataOnly: true})
	if apierrors.IsForbidden(err) || apierrors.IsMethodNotSupported(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for versions of %s: %w", o.Ref(), err)
	}
	var out []object.Ref
	for _, u := range list {
		ref := object.Ref{Group: m.GVK.Group, Kind: m.GVK.Kind, Namespace: u.GetNamespace(), Name: u.GetName()}
		if isVersion(u.Object) || ref == o.Ref() {
			out = append(out, ref)
		}
	}
	return out, nil
}

// sameVersion compares an object that bears the name of an existing version with
// it: by the record, or where that doesn't know, by the live object. A version that
// isn't there any more can be made again.
func (p Planner) sameVersion(ctx context.Context, in Input, want object.Object, ref object.Ref) (bool, error) {
	if in.Record != nil {
		if entry, ok := in.Record.Find(ref); ok && entry.ContentHash != "" {
			same, err := p.Hasher.Matches(want.Body, entry.ContentHash)
			if err == nil || !errors.Is(err, object.ErrNoHashKey) {
				return same, err
			}
		}
	}
	w := p.newWanted(ctx, in, want, nil)
	if w.out.Err != nil {
		return true, nil // the plan says what is wrong with it
	}
	live, err := p.getOne(ctx, w.out.Mapping, ref)
	switch {
	case apierrors.IsForbidden(err) || err == nil && live == nil:
		return true, nil
	case err != nil:
		return false, err
	}
	setLive(w.out, live)
	p.readSchema(ctx, w, true)
	ready := p.makeReady(w, nil)
	e, err := p.gather(ctx, w, &ready)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(e.cmp.findings, tellsVersions), nil
}

// tellsVersions reports whether a difference makes a version another one. Defaults,
// which are recorded in the name of whoever made the object, don't.
func tellsVersions(f finding) bool {
	root := f.path[0].FieldName
	return !f.guessed || root != nil && (*root == "data" || *root == "binaryData")
}

// showVersion puts the version before on the left side of a new version's diff.
func (p Planner) showVersion(ctx context.Context, w *wanted, found liveSet, ready prepared) {
	o, before := w.out, found[w.shown]
	if before == nil || o.Op != OpCreate {
		return
	}
	p.readSchema(ctx, w, true)
	live := renamed(comparable(before.Object), o.Ref.Name)
	last, known := annotated(before.Object, kappOriginal)
	if applied := asked(w.shownEntry.LastApplied()); applied != nil {
		last, known = reveal(p.Hasher, w.shownEntry, applied, ready.desired, live), true
	}
	if known {
		last = renamed(last, o.Ref.Name)
	}
	for _, f := range compare(ready.desired, last, live, w.schema, !object.BuiltIn(o.Ref.Group), p.Policy.Excluded).findings {
		verdict := VerdictChange
		if !f.d.ok {
			verdict = VerdictRemove
		}
		o.Differences = append(o.Differences, difference(f, verdict, ownership{adopted: func(Author) bool { return false }}))
	}
	o.before, o.after = restrict(withoutStatus(live), withoutStatus(ready.desired), ready.desired, last, w.schema, false)
	o.Notes = append(o.Notes, fmt.Sprintf("a new version: the diff is against %s", w.shown.Name))
}

// renamed returns a body under another name.
func renamed(body map[string]any, name string) map[string]any {
	return rename(object.Object{Body: body}, name).Body
}

// shownEntry finds what the record knows of the version before.
func shownEntry(in Input, ref object.Ref) state.Entry {
	if in.Record == nil {
		return state.Entry{}
	}
	entry, _ := in.Record.Find(ref)
	return entry
}
