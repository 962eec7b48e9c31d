package saved

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWriteAndRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "plan.json")
	f := made(t, planned(t, []string{settings, login}, []string{slow}), NewKey([]byte("k")))
	f.KeyedBy, f.Flags = KeyCluster, map[string][]string{"prune": {"true"}}
	require.NoError(t, os.WriteFile(path, []byte("an old one"), 0o644))
	require.NoError(t, Write(path, f))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	back, err := Read(path)
	require.NoError(t, err)
	assert.Empty(t, Changes(f, back))
	assert.Equal(t, f.Flags, back.Flags)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, left, 1, "nothing else is left behind")
}

func TestWriteReplacesALinkAndNotWhatItLeadsTo(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "plan.json")
	require.NoError(t, os.WriteFile(target, []byte("mine"), 0o644))
	require.NoError(t, os.Symlink(target, link))
	require.NoError(t, Write(link, made(t, planned(t, []string{settings}, nil), nil)))
	data, err := os.ReadFile(target)
	require.NoError(t, err)
	assert.Equal(t, "mine", string(data))
	_, err = Read(link)
	require.NoError(t, err)
}

func TestWriteLeavesNothingWhereItCannotWrite(t *testing.T) {
	dir := t.TempDir()
	f := made(t, planned(t, []string{settings}, nil), nil)
	require.Error(t, Write(filepath.Join(dir, "none", "plan.json"), f))
	require.ErrorContains(t, Write(dir, f), "is no ordinary file")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestReadRefuses(t *testing.T) {
	good, err := json.Marshal(made(t, planned(t, []string{settings}, nil), nil))
	require.NoError(t, err)
	for name, c := range map[string]struct{ text, want string }{
		"nothing":          {"", "unexpected end"},
		"another kind":     {`{"apiVersion":"tazuna.pepabo.com/v1alpha1","kind":"Plan"}`, `found "tazuna.pepabo.com/v1alpha1" "Plan"`},
		"another version":  {strings.Replace(string(good), "v1alpha1", "v1", 1), `found "tazuna.pepabo.com/v1" "SavedPlan"`},
		"an unknown field": {strings.Replace(string(good), `"kind":"SavedPlan"`, `"kind":"SavedPlan","more":1`, 1), "unknown field"},
		"something behind": {string(good) + "{}", "invalid"},
		"an unknown key":   {strings.Replace(string(good), `"kind":"SavedPlan"`, `"kind":"SavedPlan","keyedBy":"luck"`, 1), `found "luck"`},
	} {
		path := filepath.Join(t.TempDir(), "plan.json")
		require.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
		_, err := Read(path)
		require.ErrorContains(t, err, c.want, name)
		require.ErrorContains(t, err, path, name)
	}
	_, err = Read(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"apiVersion":"tazuna.pepabo.com/v1alpha1","kind":"SavedPlan","objects":[{"kind":"A","name":"a"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		plan, err := parse(data)
		if err != nil {
			return
		}
		assert.Empty(t, Changes(plan, plan))
	})
}
