package state

import (
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	// shardLimit is how much one ConfigMap may cost, see entryCost. The API server
	// takes 1 MiB of values and etcd 1.5 MiB of object.
	shardLimit = 900 << 10
	// unfinished begins the value of an entry without a hash. It is charged for the
	// hash from the start, so that filling it in never overflows.
	unfinished = `{"contentHash":""`
	hashSize   = 64
	// entryOverhead covers the separators around a key in data and in
	// managedFields.
	entryOverhead = 16
)

// shard is the working copy of one ConfigMap of a record.
type shard struct {
	index int
	name  string
	// live is the ConfigMap as the server returned it last, without its data;
	// nil if it is not there yet.
	live *unstructured.Unstructured
	// data is what the next write will hold, damaged entries included.
	data map[string]string
	// dirty: data differs from what the server has.
	dirty bool
	// missing: the record says it has this part, but somebody deleted it. It is
	// not made again unless asked for, or the loss would go unnoticed.
	missing bool
	cost    int
}

// newShard returns an empty part of a record that is not in the cluster yet.
func newShard(manifest string, index int) *shard {
	return &shard{index: index, name: shardName(StateName(manifest), index), data: map[string]string{}}
}

// readShard takes over a ConfigMap.
func readShard(index int, u *unstructured.Unstructured) *shard {
	s := &shard{index: index, name: u.GetName(), data: map[string]string{}}
	data, _, _ := unstructured.NestedStringMap(u.Object, "data") // the API server admits strings only
	for key, value := range data {
		s.data[key] = value
		s.cost += entryCost(key, value)
	}
	s.accept(u)
	return s
}

// accept remembers what the server has now. The data is left out, since it is in
// the working copy; managedFields since a write without them keeps them.
func (s *shard) accept(u *unstructured.Unstructured) {
	live := &unstructured.Unstructured{Object: maps.Clone(u.Object)}
	delete(live.Object, "data")
	live = live.DeepCopy()
	live.SetManagedFields(nil)
	s.live = live
}

// put sets a value.
func (s *shard) put(dataKey, value string) {
	old, known := s.data[dataKey]
	if known && old == value {
		return
	}
	if known {
		s.cost -= entryCost(dataKey, old)
	}
	s.data[dataKey] = value
	s.cost += entryCost(dataKey, value)
	s.dirty = true
}

// remove takes a key out.
func (s *shard) remove(dataKey string) {
	old, known := s.data[dataKey]
	if !known {
		return
	}
	s.cost -= entryCost(dataKey, old)
	delete(s.data, dataKey)
	s.dirty = true
}

// annotation returns one of the ConfigMap's annotations, empty if there is none.
func (s *shard) annotation(name string) string {
	if s.live == nil {
		return ""
	}
	return s.live.GetAnnotations()[name]
}

// entryCost is what an entry takes of a ConfigMap, in bytes. The key counts
// twice: the API server writes it into managedFields once more.
func entryCost(dataKey, value string) int {
	cost := 2*len(dataKey) + len(value) + entryOverhead
	if strings.HasPrefix(value, unfinished) {
		cost += hashSize
	}
	return cost
}
