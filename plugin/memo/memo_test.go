package memo

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMemoSurvivesAndExpires(t *testing.T) {
	dir, now := t.TempDir(), time.Unix(1_800_000_000, 0)
	m := Open(dir, "scope", now)
	m.Remember("u1", "7", "k")
	require.NoError(t, m.Close())

	again := Open(dir, "scope", now.Add(time.Hour))
	require.True(t, again.Equal("u1", "7", "k"))
	require.False(t, again.Equal("u1", "8", "k"), "another resourceVersion")
	require.False(t, again.Equal("u1", "7", "other"), "another input")
	require.False(t, Open(dir, "elsewhere", now).Equal("u1", "7", "k"), "another scope")
	require.False(t, Open(dir, "scope", now.Add(Lifetime+time.Hour)).Equal("u1", "7", "k"), "too old")
	require.False(t, Open(dir, "scope", now.Add(-time.Hour)).Equal("u1", "7", "k"), "from the future")
}

func TestMemoWithoutFactsKnowsNothing(t *testing.T) {
	m := Open(t.TempDir(), "scope", time.Unix(1, 0))
	m.Remember("", "7", "k")
	m.Remember("u", "", "k")
	m.Remember("u", "7", "")
	require.False(t, m.Equal("u", "", ""))
	var none *Memo
	none.Remember("u", "7", "k")
	require.False(t, none.Equal("u", "7", "k"))
	require.NoError(t, none.Close())
}

func TestMemoIgnoresADamagedFile(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "scope.json"), []byte("{no json"), 0o600))
	m := Open(dir, "scope", time.Unix(1, 0))
	m.Remember("u", "7", "k")
	require.NoError(t, m.Close())
	require.True(t, Open(dir, "scope", time.Unix(2, 0)).Equal("u", "7", "k"))
}

func TestMemoReportsThatItCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	m := Open(filepath.Join(file, "below"), "scope", time.Unix(1, 0))
	m.Remember("u", "7", "k")
	require.Error(t, m.Close())
}

func TestMemoKnowsProofsByTheirInputKey(t *testing.T) {
	m := Open(t.TempDir(), "scope", time.Now())
	m.Remember("u", "7", "key-stamp")
	for _, tt := range []struct {
		uid, key string
		want     bool
	}{{"u", "key", true}, {"u", "key-stamp", true}, {"u", "other", false}, {"v", "key", false}} {
		if got := m.Knows(tt.uid, tt.key); got != tt.want {
			t.Errorf("Knows(%q, %q) = %v", tt.uid, tt.key, got)
		}
	}
	if m.Equal("u", "7", "key") || !m.Equal("u", "7", "key-stamp") {
		t.Error("a verdict counts for its whole proof only")
	}
}
