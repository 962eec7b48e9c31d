package state

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// benchmarkEntries is a record of 10,000 objects with bodies of some 2 KiB.
func benchmarkEntries() []Entry {
	entries := make([]Entry, 10_000)
	for i := range entries {
		k := Key{Manifest: "m", Version: "v1", Kind: "ConfigMap", Namespace: "default", Name: fmt.Sprintf("object-%05d", i)}
		entries[i] = Entry{Key: k, ContentHash: hashA, UID: fmt.Sprint(i), ResourceVersion: fmt.Sprint(i), Body: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": k.Name, "namespace": k.Namespace},
			"data": map[string]any{"text": strings.Repeat(k.Name+" ", 150)},
		}}
	}
	return entries
}

func BenchmarkRead10000(b *testing.B) {
	for _, lazy := range []bool{true, false} {
		b.Run(fmt.Sprintf("lazy=%v", lazy), func(b *testing.B) { benchmarkRead(b, lazy) })
	}
}

func benchmarkRead(b *testing.B, lazy bool) {
	b.Helper()
	l, _ := newLedger("m", nil)
	entries := benchmarkEntries()
	for _, e := range entries {
		l.finish(e.Key, e.ContentHash)
	}
	packed, _, err := encodeBodies(entries, bodiesLimit)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		again, damaged := reread(l)
		rec := newRecord(again, damaged)
		for _, p := range packed {
			found, err := decodeBodies(p)
			require.NoError(b, err)
			rec.fill(found, lazy)
		}
	}
}

func BenchmarkPack10000(b *testing.B) {
	entries := benchmarkEntries()
	b.ReportAllocs()
	for b.Loop() {
		_, _, err := encodeBodies(entries, bodiesLimit)
		require.NoError(b, err)
	}
}
