package plan

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply/prune"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// lastFirst returns the entries of a record in the reverse of the order in which
// they were applied. Where the graph leaves a choice, deletions keep to it.
func lastFirst(entries []state.Entry) []state.Entry {
	out := slices.Clone(entries)
	slices.SortStableFunc(out, func(a, b state.Entry) int { return cmp.Compare(b.Order, a.Order) })
	return out
}

// guards are the filters that an entry without a file passes before its object
// may be deleted.
func (p Planner) guards(ctx context.Context, uids map[types.UID]object.Ref) []prune.Filter {
	claimed := func(c prune.Candidate) (string, error) {
		manifest, err := p.claimedBy(ctx, c.Live, c.Entry.Label, nil, c.Ref)
		if manifest != "" || err != nil || !p.Policy.Prune || p.Claims == nil {
			return manifest, err
		}
		// Its label may be ours, and another record list it all the same.
		return p.Claims(ctx, "", c.Ref)
	}
	entry := prune.EntryFilters(uids, p.Policy.FieldManager, claimed, p.Policy.Prune)
	if p.Policy.Guards != nil {
		return append(entry, p.Policy.Guards...)
	}
	return append(entry, prune.DefaultFilters(p.Policy.PruneProtected)...)
}

// wantedUIDs are the live objects that some file wants, whatever key they had.
func wantedUIDs(list []*wanted) map[types.UID]object.Ref {
	out := map[types.UID]object.Ref{}
	for _, w := range list {
		if w.out.UID != "" {
			out[w.out.UID] = w.out.Ref
		}
	}
	return out
}

// concludeLeft decides about one entry that no file names.
func concludeLeft(out *Plan, left *recordedOnly, live *unstructured.Unstructured, guards []prune.Filter, gone map[string][]state.Key) {
	if live == nil && left.absent() {
		gone[left.manifest] = append(gone[left.manifest], left.entry.Key)
		return
	}
	kept := prune.First(guards, left.candidate(live))
	switch {
	case kept == nil:
		out.Objects = append(out.Objects, deletion(left, live))
	case kept.Refused:
		o := deletion(left, live)
		o.Op, o.Reason = OpRefuse, kept.Reason
		out.Objects = append(out.Objects, o)
	case kept.Forget:
		out.Warnings = append(out.Warnings, sentence(left.ref, kept.Reason))
		gone[left.manifest] = append(gone[left.manifest], left.entry.Key)
	default:
		out.Leftover = append(out.Leftover, leftover(left, kept.Reason))
	}
}

// absent tells that an object which was not found isn't there: it was looked for,
// and no other manifest of the files names it.
func (l *recordedOnly) absent() bool {
	return l.mappingKnown && l.unread == nil && l.movedTo == ""
}

// candidate is what the guards are asked about.
func (l *recordedOnly) candidate(live *unstructured.Unstructured) prune.Candidate {
	c := prune.Candidate{Ref: l.ref, Entry: prune.Entry{
		Manifest: l.manifest, UID: types.UID(l.entry.UID), Confirmed: l.entry.ContentHash != "", Label: l.label, Marks: l.marks,
		MovedTo: l.movedTo, Elsewhere: l.waits, Unread: l.unread, Damaged: l.damaged, Surplus: l.surplus,
	}}
	if !l.mappingKnown {
		c.Entry.Unserved = l.unserved
	}
	if live != nil {
		c.UID, c.Live = live.GetUID(), live.Object
	}
	return c
}

// sentence joins an object and what a guard says of it.
func sentence(ref object.Ref, reason string) string {
	if rest, ok := strings.CutPrefix(reason, "it "); ok {
		return ref.String() + " " + rest
	}
	return ref.String() + " is not deleted: " + reason
}

func leftover(left *recordedOnly, reason string) Leftover {
	k := left.entry.Key
	return Leftover{
		Manifest: left.manifest, APIVersion: apiVersion(k.Group, k.Version), Kind: k.Kind,
		Namespace: k.Namespace, Name: k.Name, Reason: reason,
	}
}

func deletion(left *recordedOnly, live *unstructured.Unstructured) *Object {
	o := &Object{
		Manifest: left.manifest, Ref: left.ref, Key: left.entry.Key,
		Mapping: left.mapping, MappingKnown: true, Op: OpDelete,
		hidden: left.entry.Hidden,
	}
	setLive(o, live)
	o.before = object.StripServerFields(withoutStatus(live.Object))
	return o
}

// Leaves reports whether no file names the object: it is deleted, or a guard
// refuses that.
func (o *Object) Leaves() bool { return o.Desired.Body == nil }
