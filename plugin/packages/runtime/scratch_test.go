//go:build unix

package runtime

import (
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestScratchIsClearedOfKilledRuns: they leave values of applications, which hold secrets.
// What processes that live work with stays, however old it is.
func TestScratchIsClearedOfKilledRuns(t *testing.T) {
	root := t.TempDir()
	open := func() *Scratch {
		s, err := OpenScratch(root)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(s.Dir(), "values.json"), []byte("{}"), 0o600))
		return s
	}
	killed, living, ours := open(), open(), open()
	require.NoError(t, killed.lock.Close(), "as the end of a process does it")
	for _, left := range []string{"tazuna-hook-1/values.json", "process-2/values.json"} { // the latter was killed while it began
		require.NoError(t, os.MkdirAll(filepath.Join(root, "tmp", filepath.Dir(left)), dirMode))
		require.NoError(t, os.WriteFile(filepath.Join(root, "tmp", left), nil, 0o600))
	}
	require.NoError(t, os.Symlink(root, filepath.Join(root, "tmp", "link-demo.a")))
	require.NoError(t, ours.clear(slog.New(slog.DiscardHandler)))
	assert.FileExists(t, filepath.Join(living.Dir(), "values.json"))
	assert.FileExists(t, filepath.Join(ours.Dir(), "values.json"))
	require.NoError(t, living.Close())
	require.NoError(t, ours.Close())
	left, err := os.ReadDir(filepath.Join(root, "tmp"))
	require.NoError(t, err)
	require.Len(t, left, 1)
	assert.Equal(t, lockFile, left[0].Name())
	assert.DirExists(t, root)
}

// TestScratchThatCannotBe is an error that names the place.
func TestScratchThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := OpenScratch(file)
	require.Error(t, err)
	assert.Contains(t, err.Error(), file)
}

// TestScratchEndsWhatHooksLeft: a program that left the group of its hook doesn't outlive
// the controller.
func TestScratchEndsWhatHooksLeft(t *testing.T) {
	if goruntime.GOOS != "linux" {
		t.Skip("only Linux tells whose a process is")
	}
	s, err := OpenScratch(t.TempDir())
	require.NoError(t, err)
	left := exec.CommandContext(t.Context(), "sleep", "600")
	left.Env = []string{"PATH=" + os.Getenv("PATH"), "VALUES_PATH=" + filepath.Join(s.Dir(), "tazuna-hook-1", "values.json")}
	require.NoError(t, left.Start())
	require.NoError(t, s.Close())
	var exit *exec.ExitError
	require.ErrorAs(t, left.Wait(), &exit)
	assert.False(t, exit.Exited(), "it was ended by a signal")
	assert.NoDirExists(t, s.Dir())
}
