package process

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// killedVariable has this test binary run a program and be killed meanwhile.
const killedVariable = "TAZUNA_TEST_KILLED_IN"

// TestKilledParent isn't one of its own: TestAKilledParentLeavesNothing runs it.
func TestKilledParent(t *testing.T) {
	dir := os.Getenv(killedVariable)
	if dir == "" {
		t.Skip("run by TestAKilledParentLeavesNothing")
	}
	// The program leaves one process in its group and one outside of it.
	script := "sleep 600 & echo $! >>pids; setsid sleep 600 & echo $! >>pids; echo $$ >>pids; echo done >>pids; wait"
	_, err := Run(t.Context(), Command{
		Path: "/bin/sh", Args: []string{"-c", script}, Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH"), "VALUES_PATH=" + dir + "/run/values.json"},
	})
	require.NoError(t, err)
}

// TestAKilledParentLeavesNothing: the program goes with it, and what the program started
// is found by whoever comes next. Processes of others stay.
func TestAKilledParentLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	other := exec.CommandContext(t.Context(), "sleep", "600")
	other.Env = []string{"VALUES_PATH=" + dir + "-other/run/values.json", "PATH=" + os.Getenv("PATH")}
	require.NoError(t, other.Start())
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()

	parent := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledParent$", "-test.timeout=1m")
	parent.Env = append(os.Environ(), killedVariable+"="+dir)
	require.NoError(t, parent.Start())
	var pids []int
	require.Eventually(t, func() bool {
		pids = pidsIn(t, filepath.Join(dir, "pids"))
		return len(pids) == 3
	}, time.Minute, 5*time.Millisecond)
	require.NoError(t, parent.Process.Kill())
	_ = parent.Wait()

	leader := pids[2]
	require.Eventually(t, func() bool { return !lives(leader) }, 10*time.Second, 5*time.Millisecond, "the leader goes with its parent")
	ended, err := EndStrays(dir)
	require.NoError(t, err)
	assert.Equal(t, 2, ended)
	for _, pid := range pids {
		require.Eventually(t, func() bool { return !lives(pid) }, 10*time.Second, 5*time.Millisecond)
	}
	assert.True(t, lives(other.Process.Pid))
	ended, err = EndStrays(dir)
	require.NoError(t, err)
	assert.Zero(t, ended)
}

// pidsIn reads a file that is complete when it ends with "done".
func pidsIn(t *testing.T, path string) []int {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	var pids []int
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if lines.Text() == "done" {
			return pids
		}
		pid, err := strconv.Atoi(lines.Text())
		require.NoError(t, err)
		pids = append(pids, pid)
	}
	return nil
}

// lives tells whether a process is there and not only waits to be collected.
func lives(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}
