//go:build linux || darwin

package hook

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/snapshot"
)

var update = flag.Bool("update", false, "write the golden files anew")

// shop is the instance of most tests.
func shop() Instance { return Instance{Namespace: "default", Name: "shop"} }

// shortLimits are limits that a test can reach.
func shortLimits() Limits {
	return Limits{
		Run: 30 * time.Second, Load: 20 * time.Second, Grace: 200 * time.Millisecond,
		Output: 64 << 10, Config: 64 << 10, File: 1 << 20,
	}
}

func baseEnv() []string { return BaseEnv(os.Environ()) }

func loader() Loader {
	return Loader{Instance: shop(), Env: baseEnv(), Limits: shortLimits()}
}

func runner(t *testing.T) *Runner {
	t.Helper()
	return &Runner{Instance: shop(), Env: baseEnv(), TempDir: t.TempDir(), Limits: shortLimits()}
}

// bundle makes a bundle of files. Those that begin with #! are made executable.
func bundle(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		mode := os.FileMode(0o644)
		if strings.HasPrefix(content, "#!") {
			mode = 0o755
		}
		require.NoError(t, os.WriteFile(path, []byte(content), mode))
	}
	return dir
}

// script is a shell hook with a configuration and a body.
func script(config, body string) string {
	return "#!/bin/sh\nif [ \"$1\" = --config ]; then cat <<'E'\n" + config + "\nE\nexit 0; fi\n" + body + "\n"
}

// startup is the usual configuration of hooks whose binding doesn't matter.
const startup = `{"configVersion":"v1","onStartup":1}`

// load loads a bundle that is in order.
func load(t *testing.T, l Loader, dir string) *Set {
	t.Helper()
	set, err := l.Load(t.Context(), dir)
	require.NoError(t, err)
	return set
}

// one loads a bundle of one shell hook.
func one(t *testing.T, config, body string) *Hook {
	t.Helper()
	set := load(t, loader(), bundle(t, map[string]string{"hooks/one.sh": script(config, body)}))
	require.Len(t, set.Hooks, 1)
	return set.Hooks[0]
}

// caseSet loads the hooks of one of the trouble cases.
func caseSet(t *testing.T, id string, rule binding.Rule) *Set {
	t.Helper()
	l := loader()
	l.Namespaces = rule
	return load(t, l, filepath.Join("testdata", "cases", id))
}

// goHook builds the batch binary of testdata once.
var goHook = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "gohook-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "batchhooks")
	build := exec.Command("go", "build", "-trimpath", "-o", path, "./testdata/gohook")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	if err != nil {
		_, _ = os.Stderr.Write(out)
	}
	return path, err
})

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if path, err := goHook(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// batchBundle is a bundle with the batch binary.
func batchBundle(t *testing.T) string {
	t.Helper()
	built, err := goHook()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "hooks"), 0o755))
	require.NoError(t, os.Link(built, filepath.Join(dir, "hooks", "batchhooks")))
	return dir
}

// fixed is a Source with fixed snapshots by binding.
type fixed map[string]snapshot.Snapshot

func (f fixed) Snapshot(_ context.Context, _, name string) (snapshot.Snapshot, error) {
	return f[name], nil
}

// sinkFunc is a Sink of one function.
type sinkFunc func(output.Operation) error

func (f sinkFunc) Do(_ context.Context, o output.Operation) error { return f(o) }

// entry is a snapshot entry of a ConfigMap.
func entry(t *testing.T, name, data string) snapshot.Entry {
	t.Helper()
	body := body(t, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"`+name+`","namespace":"default"},"data":`+data+`}`)
	return snapshot.Entry{Ref: object.RefOf(body), Object: body}
}

func body(t *testing.T, text string) map[string]any {
	t.Helper()
	value, err := object.DecodeJSON([]byte(text))
	require.NoError(t, err)
	return value
}

// golden compares with a file, or writes it with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "go test -update writes it")
	assert.Equal(t, string(want), string(got))
}

// assertEmptyDir checks that runs left nothing.
func assertEmptyDir(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, entries)
}
