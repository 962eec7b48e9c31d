//go:build linux || darwin

package hook

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/process"
)

func hookIDs(hooks []*Hook) []string {
	ids := []string{}
	for _, h := range hooks {
		ids = append(ids, h.ID)
	}
	return ids
}

func TestLoadFindsAllAndNamesTheRest(t *testing.T) {
	hidden := "#!/bin/sh\nexit 9\n"
	dir := bundle(t, map[string]string{
		"hooks/b.sh":                 script(startup, ""),
		"hooks/a/z.py":               script(startup, ""),
		"hooks/a/lib/helper.sh":      hidden,
		"hooks/venv/bin/python":      hidden,
		"hooks/.git/hooks/post":      hidden,
		"hooks/.hidden.sh":           hidden,
		"hooks/noext":                script(startup, ""),
		"hooks/README.md":            "text",
		"hooks/forgotten.sh":         "#!/bin/sh\n",
		"templates/not-a-hook.sh":    hidden,
		"hooks/a/deep/er/than/c.sh":  script(startup, ""),
		"hooks/library/of/hooks.sh":  script(startup, ""),
		"hooks/a/lib.sh":             script(startup, ""),
		"hooks/name with spaces.sh":  script(startup, ""),
		"hooks/link-target/real.txt": "text",
	})
	require.NoError(t, os.Chmod(filepath.Join(dir, "hooks/forgotten.sh"), 0o644))
	require.NoError(t, os.Symlink("b.sh", filepath.Join(dir, "hooks/linked.sh")))
	require.NoError(t, os.Symlink("link-target", filepath.Join(dir, "hooks/linked-dir")))

	set := load(t, loader(), dir)
	assert.Equal(t, []string{
		"hooks/a/deep/er/than/c.sh", "hooks/a/lib.sh", "hooks/a/z.py", "hooks/b.sh",
		"hooks/library/of/hooks.sh", "hooks/linked.sh", "hooks/name with spaces.sh", "hooks/noext",
	}, hookIDs(set.Hooks))
	assert.Equal(t, []Skipped{
		{"hooks/.git", "hidden directory"},
		{"hooks/.hidden.sh", "hidden file"},
		{"hooks/README.md", "not executable"},
		{"hooks/a/lib", "directory of what hooks use, not of hooks"},
		{"hooks/forgotten.sh", "not executable"},
		{"hooks/link-target/real.txt", "not executable"},
		{"hooks/linked-dir", "link to a directory"},
		{"hooks/venv", "directory of what hooks use, not of hooks"},
	}, set.Skipped)
	assert.Equal(t, []string{
		"hooks/forgotten.sh: looks like a hook and is not executable, so it is none (chmod +x makes it one)",
		"hooks/linked-dir: a link to a directory is not followed; hooks in it are not found",
	}, set.Warnings)
	assert.Equal(t, Shell, set.Hooks[0].Kind)
	assert.Same(t, set.Hooks[3], set.Find("hooks/b.sh"))
	assert.Nil(t, set.Find("hooks/none.sh"))
}

func TestLoadWithoutHooks(t *testing.T) {
	set := load(t, loader(), t.TempDir())
	assert.Empty(t, set.Hooks)
	assert.Empty(t, set.Skipped)

	_, err := loader().Load(t.Context(), filepath.Join(t.TempDir(), "none"))
	assert.ErrorIs(t, err, os.ErrNotExist)

	_, err = loader().Load(t.Context(), bundle(t, map[string]string{"hooks": "a file"}))
	assert.EqualError(t, err, "find hooks: hooks is no directory")
}

// What is no file can't be a hook, and what lies outside of the package isn't its:
// both are errors, and the other hooks load.
func TestLoadTellsWhatIsNoFile(t *testing.T) {
	dir := bundle(t, map[string]string{"hooks/a.sh": script(startup, "")})
	hooks := filepath.Join(dir, "hooks")
	require.NoError(t, syscall.Mkfifo(filepath.Join(hooks, "pipe.sh"), 0o755))
	require.NoError(t, os.Symlink("pipe.sh", filepath.Join(hooks, "linked.sh")))
	require.NoError(t, os.Symlink("/bin/sh", filepath.Join(hooks, "out.sh")))
	t.Chdir(hooks) // the path of a socket has to be short
	socket, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", "socket")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, socket.Close()) })

	set, err := loader().Load(t.Context(), dir)
	var failure *LoadError
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, []string{"hooks/a.sh"}, hookIDs(set.Hooks))
	assert.EqualError(t, err, strings.Join([]string{
		"hooks/linked.sh: wanted a file, found a pipe",
		"hooks/out.sh: is a link that leads out of the package",
		"hooks/pipe.sh: wanted a file, found a pipe",
		"hooks/socket: wanted a file, found a socket",
	}, "\n"))
}

// Every hook that can't be loaded is an error with its standard error; the others
// load.
func TestLoadFailures(t *testing.T) {
	dir := bundle(t, map[string]string{
		"hooks/0-good.sh":    script(startup, ""),
		"hooks/a-exit.sh":    "#!/bin/sh\necho 'module foo not found' >&2\nexit 1\n",
		"hooks/b-silent.sh":  "#!/bin/sh\nexit 0\n",
		"hooks/c-words.sh":   "#!/bin/sh\necho hello: [world\n",
		"hooks/d-interp.sh":  "#!/no/such/interpreter\n",
		"hooks/e-long.sh":    "#!/bin/sh\nhead -c 70000 /dev/zero | tr '\\0' x\n",
		"hooks/f-config.sh":  script("configVersion: v1\nkubernetes: [{name: cms, kind: ConfigMap, jqFilter: '('}]\nfoo: 1", ""),
		"hooks/g-stdout.sh":  "#!/bin/sh\necho 'the reason is on standard output'\nexit 3\n",
		"hooks/h-binary":     "#!", // executable, and nothing that a system could run
		"hooks/i-namespaces": script("configVersion: v1\nkubernetes: [{name: a, kind: Pod, namespace: {nameSelector: {matchNames: [kube-system]}}}]", ""),
	})
	set, err := loader().Load(t.Context(), dir)
	var failure *LoadError
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, []string{"hooks/0-good.sh"}, hookIDs(set.Hooks))
	texts := map[string]string{}
	for _, f := range failure.Failures {
		texts[filepath.Base(f.File)] = f.Error()
	}
	for file, want := range map[string]string{
		"a-exit.sh":    "hook hooks/a-exit.sh (--config): exit code 1\n  module foo not found",
		"b-silent.sh":  "hooks/b-silent.sh: wanted a configuration on standard output, found no output at all",
		"c-words.sh":   "hooks/c-words.sh: the output is no configuration: line 1: not YAML: did not find expected ',' or ']'",
		"e-long.sh":    "hook hooks/e-long.sh (--config): printed more than 65536 bytes",
		"g-stdout.sh":  "hook hooks/g-stdout.sh (--config): exit code 3\n  the reason is on standard output",
		"f-config.sh":  "hooks/f-config.sh: binding \"cms\": kubernetes[0].jqFilter: filter \"(\": unexpected EOF\nhooks/f-config.sh: unknown key \"foo\"",
		"i-namespaces": `hooks/i-namespaces: binding "a": kubernetes[0].namespace.nameSelector: hooks see the namespace of their instance only (--hook-namespaces=instance): wanted "default", found "kube-system"`,
	} {
		assert.Equal(t, want, texts[file], file)
	}
	assert.Contains(t, texts["d-interp.sh"], "the interpreter that its first line names is not there")
	assert.Contains(t, texts["h-binary"], "hook hooks/h-binary (--config): start ")
	assert.Len(t, failure.Failures, 9)
	assert.Equal(t, strings.Count(err.Error(), "hooks/0-good"), 0)
	var exit *process.ExitError
	assert.ErrorAs(t, err, &exit, "causes can be found in it")
	var config *binding.Error
	assert.ErrorAs(t, err, &config)
}

func TestLoadEnds(t *testing.T) {
	dir := bundle(t, map[string]string{"hooks/slow.sh": "#!/bin/sh\nsleep 60 & wait\n", "hooks/z.sh": script(startup, "")})
	t.Run("at its time limit", func(t *testing.T) {
		l := loader()
		l.Limits.Load = time.Second
		set, err := l.Load(t.Context(), dir)
		assert.ErrorContains(t, err, "hook hooks/slow.sh (--config): ")
		assert.ErrorContains(t, err, "did not end within its time limit of 1s")
		assert.Equal(t, []string{"hooks/z.sh"}, hookIDs(set.Hooks))
	})
	t.Run("with its context", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("the version was changed")
		time.AfterFunc(50*time.Millisecond, func() { cancel(cause) })
		_, err := loader().Load(ctx, dir)
		assert.ErrorIs(t, err, cause)
	})
}

// A script without an extension could do its work when asked "hook list".
func TestScriptsAreNeverAskedAsBatch(t *testing.T) {
	dir := bundle(t, map[string]string{"hooks/eager": "#!/bin/sh\nif [ \"$1\" != --config ]; then touch ran; exit 0; fi\necho '" + startup + "'\n"})
	load(t, loader(), dir)
	assert.NoFileExists(t, filepath.Join(dir, "hooks", "ran"))
}

func TestHooksKnowTheirInstanceWhenTheyAreLoaded(t *testing.T) {
	t.Setenv("PRIVATE_TOKEN", "x")
	dir := bundle(t, map[string]string{"hooks/a.sh": `#!/bin/sh
[ -z "$PRIVATE_TOKEN" ] || exit 1
cat <<E
configVersion: v1
kubernetes:
- {name: "$APPLICATION_NAME $MODULE_NAME $LOG_LEVEL", kind: Pod, namespace: {nameSelector: {matchNames: [$APPLICATION_NAMESPACE]}}}
E
`})
	l := loader()
	l.LogLevel = "debug"
	set := load(t, l, dir)
	assert.Equal(t, "shop default.shop debug", set.Hooks[0].Config.Kubernetes[0].Name)
}

func TestLoadBatch(t *testing.T) {
	dir := batchBundle(t)
	t.Run("all of it", func(t *testing.T) {
		set := load(t, loader(), dir)
		assert.Equal(t, []string{
			"hooks/batchhooks:batch/early:2", "hooks/batchhooks:batch/nightly:1", "hooks/batchhooks:batch/state:0",
		}, hookIDs(set.Hooks))
		assert.Equal(t, Batch, set.Hooks[0].Kind)
		assert.Equal(t, []string{"default"}, set.Find("hooks/batchhooks:batch/state:0").Config.Kubernetes[0].Namespaces)
		require.Len(t, set.Checks, 1)
		assert.Equal(t, "hooks/batchhooks", set.Checks[0].File)
		require.Len(t, set.Ready, 1)
		assert.Equal(t, "readiness", set.Ready[0].Name)
		assert.True(t, set.Ready[0].TellsReadiness())
		assert.False(t, set.Hooks[0].TellsReadiness())
		require.Len(t, set.Ready[0].Config.Schedules, 1, "it is asked by a schedule")
		asked := NewTimetable(&Set{Ready: set.Ready}, time.Date(2030, 1, 2, 3, 4, 16, 0, time.Local))
		due, ok := asked.Next()
		require.True(t, ok)
		assert.Equal(t, time.Date(2030, 1, 2, 3, 4, 30, 0, time.Local), due)
		assert.Equal(t, []Pending{{Hook: set.Ready[0], Triggers: []Trigger{Scheduled(set.Ready[0].Config.Schedules[0].Name)}}}, asked.Due(due))
		assert.Empty(t, set.Warnings)
	})
	for mode, want := range map[string]string{
		"crash": "hooks/batchhooks: is neither a batch binary nor a shell hook:\n" +
			"hook hooks/batchhooks (hook list): exit code 2\n  panic: the registry is broken\n" +
			"hook hooks/batchhooks (--config): exit code 1\n  {\"code\":1,\"message\":\"unknown flag or command\"}",
		"empty":    "hooks/batchhooks: there are no hooks in it: hook hooks/batchhooks (hook config): exit code 1\n  {\"code\":1,\"message\":\"can not print configs: no hooks registered\"}",
		"miscount": "hooks/batchhooks: hook list finds 4 hooks, hook config prints 3",
	} {
		t.Run(mode, func(t *testing.T) {
			l := loader()
			l.Env = append(l.Env, "GOHOOK_MODE="+mode)
			set, err := l.Load(t.Context(), dir)
			assert.EqualError(t, err, want)
			assert.Empty(t, set.Hooks)
		})
	}
	t.Run("a line before its configuration", func(t *testing.T) {
		l := loader()
		l.Env = append(l.Env, "GOHOOK_MODE=prefix")
		set := load(t, l, dir)
		assert.Len(t, set.Hooks, 3)
		assert.Equal(t, []string{"hooks/batchhooks: 12 bytes of other text stand before the configuration on standard output"}, set.Warnings)
	})
	t.Run("a bare list", func(t *testing.T) {
		l := loader()
		l.Env = append(l.Env, "GOHOOK_MODE=legacy")
		set := load(t, l, dir)
		assert.Len(t, set.Hooks, 3)
		assert.Empty(t, set.Checks)
	})
	t.Run("a settings check and no hook", func(t *testing.T) {
		l := loader()
		l.Env = append(l.Env, "GOHOOK_MODE=check")
		set := load(t, l, dir)
		assert.Empty(t, set.Hooks)
		assert.Len(t, set.Checks, 1)
	})
}

// Case J01: a filter that doesn't compile is refused with hook, binding and filter.
func TestCaseJ01Syntax(t *testing.T) {
	l := loader()
	l.Namespaces = binding.Any
	set, err := l.Load(t.Context(), "testdata/cases/J01")
	assert.EqualError(t, err, `hooks/syntax.sh: binding "cms": kubernetes[0].jqFilter: filter "{n: .data.n": unexpected EOF`)
	assert.Equal(t, []string{"hooks/runtime.sh"}, hookIDs(set.Hooks))
}

// Case J09, the way it is described: each configuration in a hook that prints it.
func TestCaseJ09(t *testing.T) {
	files, err := filepath.Glob("binding/testdata/J09/*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			config, err := os.ReadFile(file)
			require.NoError(t, err)
			_, err = loader().Load(t.Context(), bundle(t, map[string]string{"hooks/it.sh": script(string(config), "")}))
			if filepath.Base(file) == "seconds.yaml" {
				assert.NoError(t, err)
				return
			}
			require.Error(t, err)
			assert.True(t, strings.HasPrefix(err.Error(), "hooks/it.sh: "), err.Error())
		})
	}
}

func TestOrder(t *testing.T) {
	at := func(order string) string { return script("configVersion: v1\nonStartup: "+order+"\nbeforeHelm: 1", "") }
	dir := bundle(t, map[string]string{
		"hooks/c.sh": at("5"), "hooks/a.sh": at("5"), "hooks/b/z.sh": at("5"), "hooks/z.sh": at("-1"), "hooks/d.sh": at("10"),
	})
	want := []string{"hooks/z.sh", "hooks/a.sh", "hooks/b/z.sh", "hooks/c.sh", "hooks/d.sh"}
	for range 10 {
		set := load(t, loader(), dir)
		assert.Equal(t, want, hookIDs(set.Bound(binding.OnStartup)))
		assert.Empty(t, set.Bound(binding.AfterHelm))
	}
	set := &Set{}
	for _, index := range []int{10, 9, 2} {
		set.Hooks = append(set.Hooks, &Hook{
			ID: batchID("hooks/b", "n", index), File: "hooks/b", Name: "n", Index: index,
			Config: binding.Config{Orders: map[binding.Type]int64{binding.BeforeHelm: 1}},
		})
	}
	assert.Equal(t, []string{"hooks/b:n:2", "hooks/b:n:9", "hooks/b:n:10"}, hookIDs(set.Bound(binding.BeforeHelm)), "numbers, not texts")
}

// Case J11: two hooks of equal order run by name in each of ten starts.
func TestCaseJ11Order(t *testing.T) {
	for range 10 {
		set := caseSet(t, "J11", binding.Any)
		assert.Equal(t, []string{"hooks/a-first.sh", "hooks/b-second.sh"}, hookIDs(set.Bound(binding.OnStartup)))
	}
}
