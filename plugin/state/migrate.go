package state

import "slices"

// Legacy are the entries that stand under another data key than this version writes:
// those in the older encoding of the original tool. They are read all the same.
func (r *Record) Legacy() []Key { return r.legacy }

// Migrate writes these entries under the data keys of today. Their hashes and what is
// known of them stay. It tells how many there were; nothing is written before Save.
func (s *Session) Migrate() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	moved := s.ledger.reencode()
	s.touched = s.touched || moved > 0
	return moved
}

// legacy lists the entries under keys of an older encoding.
func (l *ledger) legacy() []Key {
	var out []Key
	for _, places := range l.places {
		for _, p := range places {
			if p.dataKey != p.key.DataKey() {
				out = append(out, p.key)
			}
		}
	}
	slices.SortFunc(out, CompareKeys)
	return out
}

// reencode moves entries to the data keys of today, each in its shard. One whose
// new key is taken stays where it is.
func (l *ledger) reencode() int {
	moved := 0
	for ref, places := range l.places {
		for i, p := range places {
			dataKey := p.key.DataKey()
			if dataKey == p.dataKey || l.holding(dataKey) != nil {
				continue
			}
			s := l.shards[p.shard]
			value := s.data[p.dataKey]
			s.remove(p.dataKey)
			s.put(dataKey, encodeEntry(p.key, p.hash, value))
			l.places[ref][i].dataKey = dataKey
			moved++
		}
	}
	return moved
}
