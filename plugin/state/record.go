package state

import (
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Record is what the cluster remembers of one manifest, as it was read. It does
// not change afterwards.
type Record struct {
	Manifest string
	// Exists tells whether the manifest was ever recorded. Without it the record
	// is empty.
	Exists bool
	// Entries are in state key order. One object can have two, under different
	// API versions, in records of the original tool.
	Entries []Entry
	Metadata
	// DefaultNamespace is the one that objects without a namespace were given, and
	// FieldManager the one they were applied with; empty in records of the
	// original tool.
	DefaultNamespace, FieldManager string
	// DeleteHooks are the hooks of charts around the deletion of their releases.
	DeleteHooks []ReleaseHooks
	// Project names the file that the manifest is of; empty if it has no name.
	Project string
	// LastRun is the run that wrote the record last; zero if unknown.
	LastRun Run
	// Damaged is what could not be read. Nothing may be deleted on the word of the
	// record while there is any.
	Damaged []DamagedEntry
	// BodiesKnown tells whether last-applied bodies could be read at all.
	BodiesKnown bool
	// BodiesLost tells that a Secret with bodies doesn't exist, or holds what nobody
	// wrote, although this tool wrote the record: the next write makes it anew.
	BodiesLost bool
	// Notes say in sentences what could not be used.
	Notes []string

	// index finds entries by identity, namespaced those with a namespace by their
	// identity without it.
	index, namespaced map[object.Ref][]int
	revision          string
	// legacy are the entries under data keys of an older encoding.
	legacy []Key
	// configMap is the name of the record's first ConfigMap, there or not.
	configMap string
}

// RecordOf makes a record of what another kind of record says, such as the release of
// a package. It is no ApplySet, and this package neither reads nor writes it.
func RecordOf(manifest string, entries []Entry) *Record {
	r := &Record{Manifest: manifest, Exists: true, Entries: entries, BodiesKnown: true}
	r.indexEntries()
	return r
}

// Find returns the entry of an object, whatever API version it was applied with.
// A cluster-scoped object is also found under a namespace: the original tool
// gives its default namespace to those as well.
func (r *Record) Find(ref object.Ref) (Entry, bool) {
	found := r.lookup(ref)
	if len(found) == 0 {
		return Entry{}, false
	}
	best := found[0]
	for _, i := range found[1:] {
		if r.Entries[best].ContentHash == "" || r.Entries[i].hasBody() {
			best = i
		}
	}
	return r.Entries[best], true
}

// Without is the record as if it didn't list these objects, under whatever version.
func (r *Record) Without(objects map[object.Ref]bool) *Record {
	rest := *r
	rest.Entries = nil
	for _, e := range r.Entries {
		if !objects[e.Key.Ref()] {
			rest.Entries = append(rest.Entries, e)
		}
	}
	rest.indexEntries()
	return &rest
}

// Revision changes whenever somebody writes the record's ConfigMaps. Two reads
// with the same revision list the same objects.
func (r *Record) Revision() string { return r.revision }

// UID names the record itself, and so the cluster that holds it; empty if there
// is none.
func (r *Record) UID() string {
	uid, _, _ := strings.Cut(r.revision, "@")
	return uid
}

// lookup returns the indexes of all entries of an object.
func (r *Record) lookup(ref object.Ref) []int {
	if ref.Namespace != "" {
		return r.index[ref]
	}
	return slices.Concat(r.index[ref], r.namespaced[ref])
}

// indexEntries makes the entries findable.
func (r *Record) indexEntries() {
	r.index = make(map[object.Ref][]int, len(r.Entries))
	r.namespaced = make(map[object.Ref][]int, len(r.Entries))
	for i, e := range r.Entries {
		ref := e.Key.Ref()
		r.index[ref] = append(r.index[ref], i)
		if bare := withoutNamespace(ref); bare != ref {
			r.namespaced[bare] = append(r.namespaced[bare], i)
		}
	}
}

// revisionOf joins what the server says of each ConfigMap.
func revisionOf(shards []*shard) string {
	var parts []string
	for _, s := range shards {
		if s.live != nil {
			parts = append(parts, string(s.live.GetUID())+"@"+s.live.GetResourceVersion())
		}
	}
	return strings.Join(parts, " ")
}
