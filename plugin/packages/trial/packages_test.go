//go:build linux || darwin

package trial

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// packages is where the packages for tests are.
const packages = "../../../test/testdata/packages"

// storeHooks builds the batch binary of the package store, once.
var storeHooks = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "store-hooks-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "batchhooks")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "./"+packages+"/store-hooks")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		_, _ = os.Stderr.Write(out)
		return "", err
	}
	return path, nil
})

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if path, err := storeHooks(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// directory is a copy of a package, with its batch binary if it has one.
func directory(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(packages, name))))
	if name == "store" {
		built, err := storeHooks()
		require.NoError(t, err)
		require.NoError(t, os.Link(built, filepath.Join(dir, "hooks", "batchhooks")))
	}
	return dir
}

func shop() hook.Instance { return hook.Instance{Namespace: "default", Name: "shop"} }

func limits() hook.Limits {
	l := hook.DefaultLimits()
	l.Run, l.Grace = time.Minute, 200*time.Millisecond
	return l
}

// loaded are the hooks of a package.
func loaded(t *testing.T, dir string) *hook.Set {
	t.Helper()
	set, err := hook.Loader{
		Instance: shop(), Namespaces: binding.Instance, Env: hook.BaseEnv(os.Environ()), Limits: limits(),
	}.Load(t.Context(), dir)
	require.NoError(t, err)
	return set
}

func runner(t *testing.T) *hook.Runner {
	t.Helper()
	return &hook.Runner{
		Instance: shop(), Namespaces: binding.Instance, Env: hook.BaseEnv(os.Environ()), TempDir: t.TempDir(), Limits: limits(),
	}
}

// golden compares with testdata/NAME, or writes it with -update.
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
