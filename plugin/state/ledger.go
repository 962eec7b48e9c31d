package state

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// ledger is the working copy of a record's ConfigMaps: which object stands under
// which key of which shard. It knows no cluster.
type ledger struct {
	manifest string
	shards   []*shard
	// places holds every readable entry. One identity may stand in several
	// places: the original tool makes a second entry for another API version.
	places map[object.Ref][]place
	// namespaced lists the identities that have a namespace by the same identity
	// without one: the original tool gives its default namespace to
	// cluster-scoped objects too.
	namespaced map[object.Ref][]object.Ref
	limit      int
}

// place is where an entry stands.
type place struct {
	shard   int
	dataKey string
	key     Key
	hash    string
}

// newLedger reads the shards, which are in the order of their index, and returns
// what it could not read beside it.
func newLedger(manifest string, shards []*shard) (*ledger, []DamagedEntry) {
	l := &ledger{
		manifest: manifest, shards: shards, limit: shardLimit,
		places: map[object.Ref][]place{}, namespaced: map[object.Ref][]object.Ref{},
	}
	var damaged []DamagedEntry
	for i, s := range shards {
		if s.missing {
			damaged = append(damaged, DamagedEntry{
				ConfigMap: s.name,
				Reason:    "this part of the record is gone, and with it what it listed",
			})
		}
		damaged = append(damaged, l.readEntries(i, s)...)
	}
	return l, damaged
}

// readEntries notes the entries of one shard in the order of their data keys.
func (l *ledger) readEntries(i int, s *shard) []DamagedEntry {
	var damaged []DamagedEntry
	for _, dataKey := range slices.Sorted(maps.Keys(s.data)) {
		if dataKey == metadataKey && i == 0 {
			continue
		}
		k, hash, err := parseEntry(l.manifest, dataKey, s.data[dataKey])
		if err != nil {
			damaged = append(damaged, DamagedEntry{ConfigMap: s.name, DataKey: dataKey, Key: k, Reason: err.Error()})
			continue
		}
		l.note(place{shard: i, dataKey: dataKey, key: k, hash: hash})
	}
	return damaged
}

// note makes an entry findable.
func (l *ledger) note(p place) {
	ref := p.key.Ref()
	if bare := withoutNamespace(ref); bare != ref && len(l.places[ref]) == 0 {
		l.namespaced[bare] = append(l.namespaced[bare], ref)
	}
	l.places[ref] = append(l.places[ref], p)
}

// find returns every entry of an object.
func (l *ledger) find(ref object.Ref) []place {
	found := l.places[ref]
	if ref.Namespace == "" {
		for _, other := range l.namespaced[ref] {
			found = append(found[:len(found):len(found)], l.places[other]...)
		}
	}
	return found
}

func withoutNamespace(ref object.Ref) object.Ref {
	ref.Namespace = ""
	return ref
}

// keys yields the keys of all entries in no order.
func (l *ledger) keys() iter.Seq[Key] {
	return func(yield func(Key) bool) {
		for _, places := range l.places {
			for _, p := range places {
				if !yield(p.key) {
					return
				}
			}
		}
	}
}

// entries returns all entries in state key order.
func (l *ledger) entries() []Entry {
	type line struct {
		text  string // made once a key, not once a comparison
		place place
	}
	var all []line
	for _, places := range l.places {
		for _, p := range places {
			all = append(all, line{p.key.String(), p})
		}
	}
	slices.SortFunc(all, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.place.dataKey, b.place.dataKey))
	})
	entries := make([]Entry, 0, len(all))
	for _, e := range all {
		entries = append(entries, Entry{Key: e.place.key, ContentHash: e.place.hash})
	}
	return entries
}

// begin makes an unfinished entry for an object that the record does not have, and
// tells whether it did. One that it has keeps its hash, whatever its API version.
func (l *ledger) begin(k Key) bool {
	if len(l.find(k.Ref())) > 0 || l.holding(k.DataKey()) != nil {
		return false
	}
	l.write(l.roomFor(k), k, "")
	return true
}

// finish records a successful apply. Entries of the same object under other keys
// go, and the new one takes the place of the first of them.
func (l *ledger) finish(k Key, hash string) {
	var s *shard
	for _, p := range l.find(k.Ref()) {
		if s == nil {
			s = l.shards[p.shard]
		}
		if p.dataKey != k.DataKey() || l.shards[p.shard] != s {
			l.shards[p.shard].remove(p.dataKey)
		}
		delete(l.places, p.key.Ref())
	}
	if s == nil {
		s = l.holding(k.DataKey()) // a damaged entry of this object, repaired by this apply
	}
	if s == nil {
		s = l.roomFor(k)
	}
	l.write(s, k, hash)
}

// drop takes one entry out; false if there is none.
func (l *ledger) drop(k Key) bool {
	ref, found := k.Ref(), false
	l.places[ref] = slices.DeleteFunc(l.places[ref], func(p place) bool {
		if p.key != k {
			return false
		}
		l.shards[p.shard].remove(p.dataKey)
		found = true
		return true
	})
	if len(l.places[ref]) == 0 {
		delete(l.places, ref)
	}
	return found
}

// dropDamaged takes an entry out that could not be read, or accepts that a whole
// ConfigMap is lost. A readable entry is refused: its object has an identity to
// drop it by.
func (l *ledger) dropDamaged(d DamagedEntry) error {
	for i, s := range l.shards {
		if s.name == d.ConfigMap && s.missing && d.DataKey == "" {
			s.missing, s.dirty = false, true
			return nil
		}
		value, ok := s.data[d.DataKey]
		if s.name != d.ConfigMap || !ok {
			continue
		}
		if _, _, err := parseEntry(l.manifest, d.DataKey, value); err == nil || d.DataKey == metadataKey && i == 0 {
			return fmt.Errorf("ConfigMap %s/%s, key %s: this entry is not damaged", Namespace, d.ConfigMap, d.DataKey)
		}
		s.remove(d.DataKey)
		return nil
	}
	return fmt.Errorf("ConfigMap %s/%s has no key %s", Namespace, d.ConfigMap, d.DataKey)
}

// write puts a readable entry into a shard.
func (l *ledger) write(s *shard, k Key, hash string) {
	dataKey := k.DataKey()
	s.put(dataKey, encodeEntry(k, hash, s.data[dataKey]))
	l.note(place{shard: s.index, dataKey: dataKey, key: k, hash: hash})
}

// holding returns the shard with a data key, readable or not.
func (l *ledger) holding(dataKey string) *shard {
	for _, s := range l.shards {
		if _, ok := s.data[dataKey]; ok {
			return s
		}
	}
	return nil
}

// roomFor returns the lowest shard with room for a new entry, making one if none
// has.
func (l *ledger) roomFor(k Key) *shard {
	cost := entryCost(k.DataKey(), encodeEntry(k, "", ""))
	for _, s := range l.shards {
		if !s.missing && s.cost+cost <= l.limit {
			return s
		}
	}
	s := newShard(l.manifest, len(l.shards))
	l.shards = append(l.shards, s)
	return s
}

// merge takes in the entries of a shard that turned out to exist already.
func (l *ledger) merge(into *shard, found *shard) {
	for dataKey, value := range found.data {
		if _, ours := into.data[dataKey]; ours {
			continue
		}
		k, hash, err := parseEntry(l.manifest, dataKey, value)
		if err == nil && len(l.find(k.Ref())) > 0 {
			continue // the record has this object already
		}
		into.put(dataKey, value)
		if err == nil {
			l.note(place{shard: into.index, dataKey: dataKey, key: k, hash: hash})
		}
	}
	into.live = found.live
	into.dirty = true
}

// first returns the shard that holds what is said of the whole record.
func (l *ledger) first() *shard {
	if len(l.shards) == 0 {
		l.shards = append(l.shards, newShard(l.manifest, 0))
	}
	return l.shards[0]
}

// count is the number of parts that a reader has to look for. One that is not in
// the cluster yet is none: it would look like one that got lost.
func (l *ledger) count() int {
	count := 1
	for _, s := range l.shards {
		if s.live != nil || s.missing {
			count = max(count, s.index+1)
		}
	}
	return count
}

// empty tells whether nothing is listed, readable or not.
func (l *ledger) empty() bool {
	for i, s := range l.shards {
		for dataKey := range s.data {
			if i > 0 || dataKey != metadataKey {
				return false
			}
		}
		if s.missing {
			return false
		}
	}
	return true
}

// dirty tells whether a shard differs from what the server has.
func (l *ledger) dirty() bool {
	return slices.ContainsFunc(l.shards, func(s *shard) bool { return s.dirty })
}
