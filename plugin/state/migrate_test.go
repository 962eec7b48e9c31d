package state

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMigrateKeepsWhatIsRecorded(t *testing.T) {
	hash := "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	old := &shard{name: "tazuna-state-m", data: map[string]string{
		"m__rbac.authorization.k8s.io__v1__ClusterRole__a_b": `{"contentHash":"` + hash + `"}`,
		"m____v1__ConfigMap__ns__plain":                      `{"contentHash":"` + hash + `"}`,
		"m__broken":                                          "{",
		metadataKey:                                          `{"gitCommitHash":"","lastSyncedAt":""}`,
	}}
	l, damaged := newLedger("m", []*shard{old})
	require.Len(t, damaged, 1)
	before := l.entries()
	require.Len(t, l.legacy(), 1)
	require.Equal(t, "a_b", l.legacy()[0].Name)

	require.Equal(t, 1, l.reencode())
	require.Empty(t, l.legacy())
	require.Zero(t, l.reencode())
	require.Equal(t, `{"contentHash":"`+hash+`"}`, old.data["m__rbac.authorization.k8s.io__v1__ClusterRole__a_x5fb"])
	require.Equal(t, "{", old.data["m__broken"], "what can't be read stays as it is")

	again, damaged := newLedger("m", []*shard{old})
	require.Len(t, damaged, 1)
	require.Equal(t, before, again.entries())
}

func TestMigrateDoesNotWriteOverAnotherEntry(t *testing.T) {
	hash := "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	s := &shard{name: "tazuna-state-m", data: map[string]string{
		"m____v1__ConfigMap__ns__a_b":    `{"contentHash":"` + hash + `"}`,
		"m____v1__ConfigMap__ns__a_x5fb": `{"contentHash":""}`,
	}}
	l, _ := newLedger("m", []*shard{s})
	require.Zero(t, l.reencode())
	require.Len(t, s.data, 2)
}

// FuzzLedger reads a record of two entries, whatever they are: nothing of it is lost
// by reading, and none of what can be read by writing its keys anew.
func FuzzLedger(f *testing.F) {
	hash := "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	f.Add("m", "m____v1__ConfigMap__ns__a_b", `{"contentHash":"`+hash+`"}`, "m____v1__ConfigMap__ns__a_x5fb", `{"contentHash":""}`)
	f.Add("m", "_metadata", `{}`, "_newer", "x")
	f.Add("a_x2db", "a_x2db__g__v1__K__n", `{"contentHash":"`+hash+`"}`, "", `{"contentHash":"`+hash+`","key":"m//v1/K/n"}`)
	f.Fuzz(func(t *testing.T, manifest, key, value, otherKey, other string) {
		data := map[string]string{key: value, otherKey: other}
		s := &shard{name: "tazuna-state", data: maps.Clone(data)}
		l, damaged := newLedger(manifest, []*shard{s})
		require.Equal(t, data, s.data)
		require.False(t, s.dirty)
		entries := l.entries()
		listed := len(entries) + len(damaged)
		if _, ok := data[metadataKey]; ok {
			listed++
		}
		require.Equal(t, len(data), listed, "each key is an entry, damaged or the metadata")

		l.reencode()
		again, stillDamaged := newLedger(manifest, []*shard{s})
		require.Equal(t, entries, again.entries())
		require.Len(t, stillDamaged, len(damaged))
	})
}
