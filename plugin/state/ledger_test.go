package state

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// shardOf is a shard as if read from the cluster.
func shardOf(i int, data map[string]string) *shard {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	u.SetName(shardName(StateName("m"), i))
	u.SetResourceVersion("1")
	_ = unstructured.SetNestedStringMap(u.Object, data, "data")
	return readShard(i, u)
}

// reread is the ledger that a next run would have.
func reread(l *ledger) (*ledger, []DamagedEntry) {
	var shards []*shard
	for i, s := range l.shards {
		shards = append(shards, shardOf(i, s.data))
	}
	return newLedger(l.manifest, shards)
}

func hashesOf(l *ledger) map[string]string {
	all := map[string]string{}
	for _, e := range l.entries() {
		all[e.Key.String()] = e.ContentHash
	}
	return all
}

func TestLedgerLifeOfAnEntry(t *testing.T) {
	t.Parallel()
	l, _ := newLedger("m", nil)
	a := mustKey(t, "m//v1/ConfigMap/default/a")
	l.begin(a)
	assert.Equal(t, map[string]string{a.DataKey(): `{"contentHash":""}`}, l.shards[0].data)
	l.finish(a, hashA)
	assert.Equal(t, map[string]string{a.DataKey(): `{"contentHash":"` + hashA + `"}`}, l.shards[0].data)
	l.begin(a)
	assert.Equal(t, hashA, hashesOf(l)[a.String()], "a modified object keeps its old hash")
	assert.False(t, l.drop(mustKey(t, "m//v1/ConfigMap/default/b")))
	assert.True(t, l.drop(a))
	assert.Empty(t, l.entries())
	assert.Empty(t, l.shards[0].data)
	assert.True(t, l.empty())
}

func TestLedgerVersionBumpIsOneObject(t *testing.T) {
	t.Parallel()
	old := mustKey(t, "m/policy/v1beta1/PodDisruptionBudget/default/a")
	now := mustKey(t, "m/policy/v1/PodDisruptionBudget/default/a")
	l, _ := newLedger("m", []*shard{shardOf(0, map[string]string{old.DataKey(): encodeEntry(old, hashA, "")})})

	l.begin(now)
	assert.Equal(t, map[string]string{old.String(): hashA}, hashesOf(l), "nothing new is announced")
	l.finish(now, hashB)
	assert.Equal(t, map[string]string{now.String(): hashB}, hashesOf(l))
	assert.Len(t, l.shards[0].data, 1)
}

// The original tool leaves both entries behind after a version bump without
// deletion.
func TestLedgerTwoVersionsOfOneObject(t *testing.T) {
	t.Parallel()
	old := mustKey(t, "m/policy/v1beta1/PodDisruptionBudget/default/a")
	now := mustKey(t, "m/policy/v1/PodDisruptionBudget/default/a")
	data := map[string]string{old.DataKey(): encodeEntry(old, hashA, ""), now.DataKey(): encodeEntry(now, hashB, "")}

	l, _ := newLedger("m", []*shard{shardOf(0, data)})
	assert.Len(t, l.entries(), 2)
	assert.True(t, l.drop(old))
	assert.Equal(t, map[string]string{now.String(): hashB}, hashesOf(l), "dropping one leaves the other")

	l, _ = newLedger("m", []*shard{shardOf(0, data)})
	l.finish(now, hashC)
	assert.Equal(t, map[string]string{now.String(): hashC}, hashesOf(l), "an apply settles both")
}

func TestLedgerNamespaceOnClusterScoped(t *testing.T) {
	t.Parallel()
	stamped := mustKey(t, "m/rbac.authorization.k8s.io/v1/ClusterRole/default/admin")
	right := mustKey(t, "m/rbac.authorization.k8s.io/v1/ClusterRole/admin")
	other := mustKey(t, "m/rbac.authorization.k8s.io/v1/ClusterRole/default/other")
	l, _ := newLedger("m", []*shard{shardOf(0, map[string]string{
		stamped.DataKey(): encodeEntry(stamped, hashA, ""), other.DataKey(): encodeEntry(other, hashB, ""),
	})})
	l.begin(right)
	assert.Len(t, l.entries(), 2)
	l.finish(right, hashC)
	assert.Equal(t, map[string]string{right.String(): hashC, other.String(): hashB}, hashesOf(l))
}

func TestLedgerOldDataKeyIsRewritten(t *testing.T) {
	t.Parallel()
	k := mustKey(t, "m/g/v1/K/ns/a_b")
	l, _ := newLedger("m", []*shard{shardOf(0, map[string]string{"m__g__v1__K__ns__a_b": encodeEntry(k, hashA, "")})})
	l.finish(k, hashB)
	assert.Equal(t, []string{"m__g__v1__K__ns__a_x5fb"}, slices.Collect(maps.Keys(l.shards[0].data)))
}

func TestLedgerKeepsWhatItCannotRead(t *testing.T) {
	t.Parallel()
	k := mustKey(t, "m//v1/ConfigMap/default/newer")
	a := mustKey(t, "m//v1/ConfigMap/default/a")
	strange := map[string]string{
		"broken__v1__ConfigMap": "{not json",
		"_future":               "\x00 whatever",
		k.DataKey():             `{"contentHash":"` + hashA + `",  "future":1}`,
	}
	data := maps.Clone(strange)
	data[metadataKey] = `{"gitCommitHash":"x"}`
	l, damaged := newLedger("m", []*shard{shardOf(0, data)})
	require.Len(t, damaged, 3)
	assert.Empty(t, l.entries())
	assert.Equal(t, "_future", damaged[0].DataKey)
	assert.Equal(t, k, damaged[2].Key, "it is known whose entry it is")
	assert.False(t, l.empty())

	l.finish(a, hashA)
	l.drop(k)
	for key, value := range strange {
		assert.Equal(t, value, l.shards[0].data[key], "byte for byte")
	}

	l.begin(k)
	assert.Equal(t, strange[k.DataKey()], l.shards[0].data[k.DataKey()], "it says already that there is something")
	l.finish(k, hashB)
	assert.Equal(t, `{"contentHash":"`+hashB+`","future":1}`, l.shards[0].data[k.DataKey()], "an apply repairs it")
	_, damaged = reread(l)
	assert.Len(t, damaged, 3, "a field of a newer version is still one")
}

func TestLedgerForget(t *testing.T) {
	t.Parallel()
	a := mustKey(t, "m//v1/ConfigMap/default/a")
	l, damaged := newLedger("m", []*shard{
		shardOf(0, map[string]string{"x": "y", a.DataKey(): encodeEntry(a, hashA, ""), metadataKey: "broken"}),
		{index: 1, name: "tazuna-state-m.1", missing: true, data: map[string]string{}},
	})
	require.Len(t, damaged, 2)
	assert.Contains(t, damaged[1].String(), "ConfigMap tazuna/tazuna-state-m.1: this part of the record is gone")
	for _, d := range []DamagedEntry{
		{ConfigMap: "tazuna-state-m", DataKey: a.DataKey()},
		{ConfigMap: "tazuna-state-m", DataKey: metadataKey},
		{ConfigMap: "tazuna-state-m", DataKey: "absent"},
		{ConfigMap: "tazuna-state-other", DataKey: "x"},
		{ConfigMap: "tazuna-state-m"},
	} {
		require.Error(t, l.dropDamaged(d), "%v", d)
	}
	for _, d := range damaged {
		require.NoError(t, l.dropDamaged(d))
	}
	_, damaged = reread(l)
	assert.Empty(t, damaged)
}

// While a part is missing nothing is put in its place: the loss would no longer
// show.
func TestLedgerDoesNotFillAMissingShard(t *testing.T) {
	t.Parallel()
	l, _ := newLedger("m", []*shard{
		shardOf(0, nil),
		{index: 1, name: "tazuna-state-m.1", missing: true, data: map[string]string{}},
	})
	l.limit = 300
	for i := range 6 {
		l.finish(mustKey(t, fmt.Sprintf("m//v1/ConfigMap/default/a%d", i)), hashA)
	}
	assert.Empty(t, l.shards[1].data)
	assert.Greater(t, len(l.shards), 2)
}

func TestLedgerShards(t *testing.T) {
	t.Parallel()
	l, _ := newLedger("m", nil)
	l.limit = 1000
	keys := make([]Key, 20)
	for i := range keys {
		keys[i] = mustKey(t, fmt.Sprintf("m//v1/ConfigMap/default/a%02d", i))
		l.begin(keys[i])
	}
	require.Greater(t, len(l.shards), 3)
	before := placement(l)
	for _, k := range keys {
		l.finish(k, hashA)
	}
	assert.Equal(t, before, placement(l), "filling in the hashes moves nothing")
	for _, s := range l.shards {
		assert.LessOrEqual(t, s.cost, l.limit)
	}

	gone := keys[1]
	l.drop(gone)
	fresh := mustKey(t, "m//v1/ConfigMap/default/b00")
	l.finish(fresh, hashB)
	assert.Equal(t, before[gone.String()], placement(l)[fresh.String()], "a new entry takes the lowest with room")

	again, damaged := reread(l)
	assert.Empty(t, damaged)
	assert.Equal(t, placement(l), placement(again))
	assert.Equal(t, hashesOf(l), hashesOf(again))
	for i := range l.shards {
		assert.Equal(t, l.shards[i].cost, again.shards[i].cost)
	}
}

func placement(l *ledger) map[string]int {
	at := map[string]int{}
	for _, places := range l.places {
		for _, p := range places {
			at[p.key.String()] = p.shard
		}
	}
	return at
}

// A full ConfigMap must stay below what the API server and etcd take, whatever
// the names: each key stands in data and again in managedFields.
func TestShardLimitHoldsForLongNames(t *testing.T) {
	t.Parallel()
	for _, length := range []int{1, 100, 253, 300} {
		l, _ := newLedger("m", nil)
		for i := range 20_000 {
			l.finish(Key{Manifest: "m", Version: "v1", Kind: "K", Name: fmt.Sprintf("%0*d", length, i)}, hashA)
			if len(l.shards) > 1 {
				break
			}
		}
		values, total := 0, 0
		for key, value := range l.shards[0].data {
			values += len(value)
			total += 2*len(key) + len(value) + 24
		}
		assert.Less(t, values, 1<<20)
		assert.Less(t, total, 1200<<10)
	}
}

// Against a plain map: whatever is done in whatever order, the entries are those
// that a map would hold, no entry changes its shard, and a next run reads the
// same.
func TestLedgerAgainstAModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(15) {
		r := rand.New(rand.NewPCG(seed, 7))
		l, _ := newLedger("m", []*shard{shardOf(0, map[string]string{"junk": "junk"})})
		l.limit = 2000
		model := map[Key]string{}
		for range 300 {
			k := Key{
				Manifest: "m", Group: "g", Version: []string{"v1", "v2"}[r.IntN(2)], Kind: "K", Namespace: "n",
				Name: strings.Repeat("x", r.IntN(2)*250) + fmt.Sprint(r.IntN(25)),
			}
			before := placement(l)
			switch r.IntN(3) {
			case 0:
				l.begin(k)
				if !slices.ContainsFunc(slices.Collect(maps.Keys(model)), func(o Key) bool { return o.Ref() == k.Ref() }) {
					model[k] = ""
				}
			case 1:
				l.finish(k, hashA)
				maps.DeleteFunc(model, func(o Key, _ string) bool { return o.Ref() == k.Ref() })
				model[k] = hashA
			case 2:
				_, want := model[k]
				require.Equal(t, want, l.drop(k))
				delete(model, k)
			}
			for text, shard := range placement(l) {
				if was, ok := before[text]; ok {
					require.Equal(t, was, shard, "%s moved", text)
				}
			}
		}
		want := map[string]string{}
		for k, hash := range model {
			want[k.String()] = hash
		}
		require.Equal(t, want, hashesOf(l))
		again, damaged := reread(l)
		require.Equal(t, want, hashesOf(again))
		require.Len(t, damaged, 1)
		require.Equal(t, "junk", again.shards[0].data["junk"])
	}
}
