package state

import (
	"cmp"
	"errors"
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// DiffType says how a built object stands to its entry.
type DiffType string

const (
	// Added: built, and not in the record.
	Added DiffType = "added"
	// Modified: in both, with another content or another API version, or never
	// applied to the end.
	Modified DiffType = "modified"
	// Removed: in the record, and not built.
	Removed DiffType = "removed"
	// AlwaysSync: of a source that is synced on every run, whatever its hash.
	AlwaysSync DiffType = "always-sync"
	// Unknown: in both, but the key for its hash can't be read.
	Unknown DiffType = "unknown"
)

// diffOrder is the order of the types in every listing.
func diffOrder() []DiffType {
	return []DiffType{Added, Modified, Removed, AlwaysSync, Unknown}
}

// Change is one line of the difference between a build and a record.
type Change struct {
	// Key is the built object's, or the entry's if it was removed.
	Key  Key
	Type DiffType
	// Hash is the content hash of the built object; empty if it was removed or
	// the hash needs a key that is not known.
	Hash string
	// Was is the hash in the record; empty if there is none.
	Was string
}

// Diff compares built objects with the record: added, modified, removed, unknown,
// each in state key order. Objects that are as recorded are left out. The
// objects' namespaces must be final. Damaged entries are never removed. h has the
// key that HashKey returned, whatever error came with it. An error names an
// object whose content has no hash.
func Diff(rec *Record, built []object.Object, h object.Hasher) ([]Change, error) {
	return diff(rec, built, h, false)
}

// DiffAlwaysSync is Diff for a manifest whose source is synced on every run: every
// built object is always-sync.
func DiffAlwaysSync(rec *Record, built []object.Object, h object.Hasher) ([]Change, error) {
	return diff(rec, built, h, true)
}

func diff(rec *Record, built []object.Object, h object.Hasher, always bool) ([]Change, error) {
	var changes []Change
	claimed := make([]bool, len(rec.Entries))
	for _, o := range built {
		found := rec.lookup(o.Ref())
		for _, i := range found {
			claimed[i] = true
		}
		c, differs, err := compare(rec, found, o, h)
		if err != nil {
			return nil, err
		}
		if always {
			c.Type = AlwaysSync
		}
		if differs || always {
			changes = append(changes, c)
		}
	}
	for i, e := range rec.Entries {
		if !claimed[i] {
			changes = append(changes, Change{Key: e.Key, Type: Removed, Was: e.ContentHash})
		}
	}
	sortChanges(changes)
	return changes, nil
}

// compare tells how one object stands to its entries.
func compare(rec *Record, found []int, o object.Object, h object.Hasher) (c Change, differs bool, err error) {
	c = Change{Key: KeyOf(rec.Manifest, o), Type: Added}
	if c.Hash, err = h.Content(o.Body); err != nil && !errors.Is(err, object.ErrNoHashKey) {
		return Change{}, false, err
	}
	if len(found) == 0 {
		if rec.damaged(c.Key) {
			c.Type = Modified
		}
		return c, true, nil
	}
	e := rec.Entries[nearest(rec, found, c.Key)]
	c.Type, c.Was = Modified, e.ContentHash
	if e.ContentHash == "" || e.Key.Version != c.Key.Version {
		return c, true, nil
	}
	same, err := h.Matches(asRecorded(o, e.Key), e.ContentHash)
	if errors.Is(err, object.ErrNoHashKey) {
		if h.Key == nil { // nil: it can't be read; empty: it is known to be lost
			c.Type = Unknown
		}
		return c, true, nil
	}
	return c, !same, err
}

// nearest chooses among several entries of an object the one with its version.
func nearest(rec *Record, found []int, k Key) int {
	for _, i := range found {
		if rec.Entries[i].Key == k {
			return i
		}
	}
	for _, i := range found {
		if rec.Entries[i].Key.Version == k.Version {
			return i
		}
	}
	return found[0]
}

// asRecorded returns the body with the namespace that the original tool gave it
// before hashing, if it did so to a cluster-scoped object.
func asRecorded(o object.Object, k Key) map[string]any {
	if k.Namespace == o.Namespace() {
		return o.Body
	}
	u := o.DeepCopy().Unstructured()
	u.SetNamespace(k.Namespace)
	return u.Object
}

// damaged tells whether an unreadable entry stands for a key.
func (r *Record) damaged(k Key) bool {
	return slices.ContainsFunc(r.Damaged, func(d DamagedEntry) bool { return d.DataKey == k.DataKey() })
}

// sortChanges orders by type, then by state key.
func sortChanges(changes []Change) {
	rank := map[DiffType]int{}
	for i, t := range diffOrder() {
		rank[t] = i
	}
	texts := make(map[Key]string, len(changes))
	for _, c := range changes {
		texts[c.Key] = c.Key.String()
	}
	slices.SortStableFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(rank[a.Type], rank[b.Type]), cmp.Compare(texts[a.Key], texts[b.Key]))
	})
}
