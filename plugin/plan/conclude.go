package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// conclude adds what concerns the run as a whole: leftovers, deletions and
// records that need a write.
func (p Planner) conclude(ctx context.Context, out *Plan, inputs []Input, it items, found liveSet) {
	uids := wantedUIDs(it.wanted)
	gone := map[string][]state.Key{}
	for _, left := range it.left {
		p.concludeLeft(ctx, out, left, found[left.ref], uids, gone)
	}
	for _, in := range inputs {
		if in.Unselected {
			continue
		}
		m := Manifest{Name: in.Manifest, Record: in.Record, DefaultNamespace: in.DefaultNamespace, Gone: gone[in.Manifest]}
		m.Repair = p.repair(in, it.wanted, m.Gone)
		out.Manifests = append(out.Manifests, m)
	}
}

// concludeLeft decides about one entry that no file names.
func (p Planner) concludeLeft(ctx context.Context, out *Plan, left *recordedOnly, live *unstructured.Unstructured, uids map[types.UID]bool, gone map[string][]state.Key) {
	key := left.entry.Key
	switch {
	case left.waits:
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s moved to manifest %s, which is not part of this run: it stays with manifest %s until then", left.ref, left.movedTo, left.manifest))
	case left.unread != nil:
		out.Leftover = append(out.Leftover, leftover(left, "not deleted: it "+unreadReason(left.unread)))
	case left.movedTo != "":
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s moves from manifest %s to manifest %s", left.ref, left.manifest, left.movedTo))
		gone[left.manifest] = append(gone[left.manifest], key)
	case !left.mappingKnown:
		out.Leftover = append(out.Leftover, leftover(left, "its kind can't be looked up: "+left.unserved.Error()))
	case live == nil:
		gone[left.manifest] = append(gone[left.manifest], key)
	case uids[live.GetUID()]:
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s is the same object as one of the files under another key: only the record changes", left.ref))
		gone[left.manifest] = append(gone[left.manifest], key)
	case left.entry.UID != "" && left.entry.UID != string(live.GetUID()):
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s was deleted and made again by somebody else: it is left alone and leaves the record", left.ref))
		gone[left.manifest] = append(gone[left.manifest], key)
	case !p.bearsOurMark(left, live):
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s bears no mark of ours, an apply of it never succeeded: it is left alone and leaves the record", left.ref))
		gone[left.manifest] = append(gone[left.manifest], key)
	case p.wantedElsewhere(ctx, out, left, live):
		gone[left.manifest] = append(gone[left.manifest], key)
	case p.Policy.Prune && left.damaged:
		out.Leftover = append(out.Leftover, leftover(left, "not deleted: the record has entries that can't be read"))
	case p.Policy.Prune:
		out.Objects = append(out.Objects, deletion(left, live))
	default:
		out.Leftover = append(out.Leftover, leftover(left, ""))
	}
}

// wantedElsewhere reports whether the record of a manifest outside this run lists
// the object: it is then never deleted for ours. If that can't be found out, the
// object is treated as wanted.
func (p Planner) wantedElsewhere(ctx context.Context, out *Plan, left *recordedOnly, live *unstructured.Unstructured) bool {
	manifest, err := p.claimedBy(ctx, live.Object, left.label, nil, left.ref)
	switch {
	case err != nil:
		out.Warnings = append(out.Warnings, err.Error()+": it is left alone and leaves the record")
	case manifest != "":
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s is in the record of manifest %s too: it is left alone and leaves the record of %s", left.ref, manifest, left.manifest))
	}
	return err != nil || manifest != ""
}

func leftover(left *recordedOnly, reason string) Leftover {
	k := left.entry.Key
	return Leftover{
		Manifest: left.manifest, APIVersion: apiVersion(k.Group, k.Version), Kind: k.Kind,
		Namespace: k.Namespace, Name: k.Name, Reason: reason,
	}
}

func apiVersion(group, version string) string {
	if group == "" {
		return version
	}
	return group + "/" + version
}

func deletion(left *recordedOnly, live *unstructured.Unstructured) *Object {
	o := &Object{
		Manifest: left.manifest, Ref: left.ref, Key: left.entry.Key,
		Mapping: left.mapping, MappingKnown: true, Op: OpDelete,
	}
	setLive(o, live)
	o.before = object.StripServerFields(withoutStatus(live.Object))
	return o
}

// repair says why a record must be written although its objects are as wanted.
func (p Planner) repair(in Input, list []*wanted, gone []state.Key) string {
	if in.Record == nil {
		return ""
	}
	stale := 0
	for _, w := range list {
		if w.out.Manifest == in.Manifest && w.out.Op == OpNone && p.staleEntry(w) {
			stale++
		}
	}
	switch {
	case in.Record.BodiesLost:
		return "the record's copy of the last apply is lost"
	case p.keyLost(in, list):
		return "the key of the record's hashes of Secrets is lost"
	case stale > 0:
		return fmt.Sprintf("the record doesn't yet say what is live for %s", count(stale, "object"))
	case len(gone) > 0:
		return fmt.Sprintf("the record lists %s that no longer need it", count(len(gone), "object"))
	default:
		return ""
	}
}

// keyLost reports whether entries of Secrets can no longer be told to be right: the
// key that their hashes were made with is gone, and not just out of our sight.
func (p Planner) keyLost(in Input, list []*wanted) bool {
	if p.Hasher.Key == nil || len(p.Hasher.Key) > 0 {
		return false
	}
	return slices.ContainsFunc(list, func(w *wanted) bool {
		if w.out.Manifest != in.Manifest || !w.recorded {
			return false
		}
		_, err := p.Hasher.Matches(w.out.Desired.Body, w.entry.ContentHash)
		return errors.Is(err, object.ErrNoHashKey)
	})
}

// staleEntry reports whether a record's entry doesn't stand for the files.
func (p Planner) staleEntry(w *wanted) bool {
	if !w.recorded || w.entry.ContentHash == "" || w.entry.Key != w.out.Key {
		return true
	}
	same, err := p.Hasher.Matches(w.out.Desired.Body, w.entry.ContentHash)
	return err == nil && !same
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
