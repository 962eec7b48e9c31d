//go:build linux || darwin

package process

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shell is a command that runs a script.
func shell(t *testing.T, script string) Command {
	t.Helper()
	return Command{
		Path: "/bin/sh", Args: []string{"-c", script}, Dir: t.TempDir(),
		Env: []string{"PATH=" + os.Getenv("PATH")}, MaxOutput: 1 << 16, Grace: 200 * time.Millisecond,
	}
}

func TestRun(t *testing.T) {
	t.Run("gives both streams", func(t *testing.T) {
		result, err := Run(t.Context(), shell(t, `echo out; echo err >&2`))
		require.NoError(t, err)
		assert.Equal(t, "out\n", string(result.Stdout.Bytes()))
		assert.Equal(t, "err\n", string(result.Stderr.Bytes()))
		assert.Positive(t, result.Took)
	})
	t.Run("in its directory, with its environment and nothing else", func(t *testing.T) {
		c := shell(t, `pwd -P; env | grep -v -e ^PWD= -e ^SHLVL= -e ^_= -e ^OLDPWD= | sort`)
		c.Env = append(c.Env, "B=2", "A=1")
		result, err := Run(t.Context(), c)
		require.NoError(t, err)
		dir, err := filepath.EvalSymlinks(c.Dir)
		require.NoError(t, err)
		assert.Equal(t, dir+"\nA=1\nB=2\nPATH="+os.Getenv("PATH")+"\n", string(result.Stdout.Bytes()))
	})
	t.Run("without an environment", func(t *testing.T) {
		t.Setenv("SECRET_OF_THE_CALLER", "x")
		result, err := Run(t.Context(), Command{Path: "/bin/sh", Args: []string{"-c", "echo $SECRET_OF_THE_CALLER"}, MaxOutput: 99})
		require.NoError(t, err)
		assert.Equal(t, "\n", string(result.Stdout.Bytes()))
	})
	t.Run("nothing to read", func(t *testing.T) {
		result, err := Run(t.Context(), shell(t, `cat; echo end`))
		require.NoError(t, err)
		assert.Equal(t, "end\n", string(result.Stdout.Bytes()))
	})
	t.Run("exit code", func(t *testing.T) {
		result, err := Run(t.Context(), shell(t, `echo why >&2; exit 7`))
		var exit *ExitError
		require.ErrorAs(t, err, &exit)
		assert.Equal(t, 7, exit.Code)
		assert.EqualError(t, err, "exit code 7")
		assert.Equal(t, "why\n", string(result.Stderr.Bytes()))
	})
	t.Run("somebody else's signal", func(t *testing.T) {
		_, err := Run(t.Context(), shell(t, `kill -TERM $$; sleep 5`))
		var exit *ExitError
		require.ErrorAs(t, err, &exit)
		assert.Equal(t, ExitError{Code: -1, Signal: "terminated"}, *exit)
	})
	t.Run("tells its process id", func(t *testing.T) {
		c := shell(t, `echo $$`)
		var pid int
		c.Started = func(p int) { pid = p }
		result, err := Run(t.Context(), c)
		require.NoError(t, err)
		assert.Equal(t, strconv.Itoa(pid)+"\n", string(result.Stdout.Bytes()))
	})
}

func TestRunDoesNotStart(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string, mode fs.FileMode) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), mode))
		return path
	}
	for name, tt := range map[string]struct{ path, want string }{
		"no such file":        {filepath.Join(dir, "none"), "not there"},
		"no such interpreter": {write("a.sh", "#!/no/such/shell\n", 0o755), "not there"},
		"no first line":       {write("b.sh", "echo hello\n", 0o755), "#!/bin/sh"},
		"not executable":      {write("c.sh", "#!/bin/sh\n", 0o644), "permission denied"},
		"a directory":         {dir, "permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Run(t.Context(), Command{Path: tt.path})
			var start *StartError
			require.ErrorAs(t, err, &start)
			assert.ErrorContains(t, err, tt.path)
			assert.ErrorContains(t, err, tt.want)
		})
	}
	t.Run("the context has ended", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("the controller stops")
		cancel(cause)
		_, err := Run(ctx, shell(t, `touch ran`))
		assert.ErrorIs(t, err, cause)
	})
}

// groupOf reads the process ids that a script wrote to a file, one a line.
func groupOf(t *testing.T, path string) []int {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var pids []int
	for _, word := range bytes.Fields(data) {
		pid, err := strconv.Atoi(string(word))
		require.NoError(t, err)
		pids = append(pids, pid)
	}
	require.NotEmpty(t, pids)
	return pids
}

// gone tells whether no process with this id does anything any more. Orphans
// that an idle init never collects have ended as well.
func gone(pid int) bool {
	if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
		return true
	}
	state, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err != nil || strings.HasPrefix(strings.TrimSpace(string(state)), "Z")
}

func assertGone(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		assert.Eventually(t, func() bool { return gone(pid) }, 2*time.Second, 5*time.Millisecond, "process %d", pid)
	}
}

// family starts a child, a grandchild and a great-grandchild that would run for
// minutes, and says so in the file pids.
const family = `
echo $$ > pids
sh -c 'echo $$ >> pids; sh -c "echo \$\$ >> pids; sleep 300 & echo \$! >> pids; touch ready; wait"; true' &
while [ ! -e ready ]; do sleep 0.01; done
`

func TestCancelEndsTheWholeGroup(t *testing.T) {
	for name, tt := range map[string]struct {
		script string
		killed bool
	}{
		"that ends when asked":       {family + "touch started; wait", false},
		"that doesn't care":          {"trap '' TERM\n" + family + "touch started; wait; sleep 300", true},
		"whose leader ends at once":  {family + "trap 'exit 0' TERM; touch started; sleep 300 & wait", false},
		"whose leader alone ignores": {"trap 'true' TERM\n" + family + "touch started; while true; do sleep 300 & wait; done", true},
	} {
		t.Run(name, func(t *testing.T) {
			c := shell(t, tt.script)
			ctx, cancel := context.WithCancelCause(t.Context())
			cause := errors.New("the application is being removed")
			done := make(chan error, 1)
			go func() {
				_, err := Run(ctx, c)
				done <- err
			}()
			require.Eventually(t, func() bool {
				_, err := os.Stat(filepath.Join(c.Dir, "started"))
				return err == nil
			}, 10*time.Second, 5*time.Millisecond)
			begin := time.Now()
			cancel(cause)
			err := <-done
			var stopped *StoppedError
			require.ErrorAs(t, err, &stopped)
			assert.ErrorIs(t, err, cause)
			assert.ErrorContains(t, err, cause.Error())
			assert.Equal(t, tt.killed, stopped.Killed)
			assert.Less(t, time.Since(begin), 5*time.Second)
			assertGone(t, groupOf(t, filepath.Join(c.Dir, "pids")))
		})
	}
}

func TestBackgroundEndsWithTheLeader(t *testing.T) {
	c := shell(t, family+"echo done")
	c.Grace = time.Minute
	begin := time.Now()
	result, err := Run(t.Context(), c)
	require.NoError(t, err, "its children hold the pipe open, which is no reason to wait or to fail")
	assert.Equal(t, "done\n", string(result.Stdout.Bytes()))
	assert.Less(t, time.Since(begin), 10*time.Second)
	assertGone(t, groupOf(t, filepath.Join(c.Dir, "pids")))
}

func TestTimeLimit(t *testing.T) {
	c := shell(t, family+"echo before; wait")
	c.TimeLimit = 2 * time.Second
	result, err := Run(t.Context(), c)
	var limit *TimeLimitError
	require.ErrorAs(t, err, &limit)
	assert.Equal(t, c.TimeLimit, limit.Limit)
	assert.ErrorContains(t, err, "time limit of 2s")
	assert.Equal(t, "before\n", string(result.Stdout.Bytes()), "what it wrote is kept")
	assertGone(t, groupOf(t, filepath.Join(c.Dir, "pids")))
}

func TestWatchStops(t *testing.T) {
	c := shell(t, `sleep 300`)
	cause := errors.New("the file grew too large")
	calls := 0
	c.WatchEvery = time.Millisecond
	c.Watch = func() error {
		if calls++; calls < 3 {
			return nil
		}
		return cause
	}
	_, err := Run(t.Context(), c)
	assert.ErrorIs(t, err, cause)
	assert.Equal(t, 3, calls)
}

func TestNoisyProgramIsNotBlocked(t *testing.T) {
	c := shell(t, `yes "a very talkative hook that writes a long line again and again" | head -c 3000000; echo end`)
	c.MaxOutput = 1000
	result, err := Run(t.Context(), c)
	require.NoError(t, err)
	assert.Len(t, result.Stdout.Head, 500)
	assert.True(t, strings.HasSuffix(string(result.Stdout.Tail), "end\n"))
	assert.Equal(t, int64(3000000+len("end\n")-1000), result.Stdout.Dropped)
}

func TestEscapedProcessDoesNotHoldTheRun(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("there is no setsid here")
	}
	c := shell(t, `setsid sh -c 'echo $$ > pid; touch up; sleep 30' & while [ ! -e up ]; do sleep 0.01; done; echo left`)
	begin := time.Now()
	result, err := Run(t.Context(), c)
	require.NoError(t, err)
	assert.Equal(t, "left\n", string(result.Stdout.Bytes()))
	assert.Less(t, time.Since(begin), 10*time.Second)
	for _, pid := range groupOf(t, filepath.Join(c.Dir, "pid")) {
		_ = syscall.Kill(-pid, syscall.SIGKILL)
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	run := func() {
		_, err := Run(t.Context(), shell(t, `echo x; sleep 60 & exit 0`))
		require.NoError(t, err)
	}
	run()
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	for range 50 {
		run()
	}
	for deadline := time.Now().Add(2 * time.Second); runtime.NumGoroutine() > goroutines && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	assert.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
	assert.Equal(t, files, openFiles(t))
	_, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
	assert.ErrorIs(t, err, syscall.ECHILD, "no zombie of ours")
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/dev/fd")
	require.NoError(t, err)
	return len(entries)
}
