package runtime

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/source"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
)

// fetched is a package of an OCI layout, unpacked as one of a registry is.
func fetched(t *testing.T, d *disk, content string) *source.Package {
	t.Helper()
	client, err := registry.New(registry.Options{TempDir: t.TempDir()})
	require.NoError(t, err)
	where := "oci:" + filepath.Join(t.TempDir(), "layout") + ":v1.0.0"
	ref, err := registry.ParseReference(where)
	require.NoError(t, err)
	image := registry.Image{Type: "application/vnd.test"}
	for name, data := range map[string]string{"package.yaml": "apiVersion: v1\ntype: Application\nname: store\nversion: v1.0.0\n", "content": content} {
		image.Layers = append(image.Layers, registry.Blob{
			MediaType: "text/plain", Data: []byte(data), Annotations: map[string]string{"org.opencontainers.image.title": name},
		})
	}
	_, err = client.Push(t.Context(), ref, image, registry.PushOptions{})
	require.NoError(t, err)
	p, err := source.Opener{Client: client, TempDir: d.temp()}.Open(t.Context(), where)
	require.NoError(t, err)
	return p
}

func TestDisk(t *testing.T) {
	d, err := openDisk(t.TempDir(), nil)
	require.NoError(t, err)
	a := Desired{Namespace: "demo", Name: "a", Repository: "main", Package: "store", Version: "v1.0.0"}
	b := a
	b.Name = "b"
	first := fetched(t, d, "one")
	dir, err := d.put(a, first)
	require.NoError(t, err)
	same, err := d.put(b, fetched(t, d, "one"))
	require.NoError(t, err)
	assert.Equal(t, "main/store", filepath.ToSlash(must(filepath.Rel(d.versions(), filepath.Dir(dir)))))
	assert.FileExists(t, filepath.Join(d.link("demo.a"), "content"))
	assert.Equal(t, filepath.Dir(dir), filepath.Dir(same))

	found, ok := d.find(a)
	assert.True(t, ok)
	assert.Equal(t, dir, found)
	for _, other := range []func(*Desired){
		func(d *Desired) { d.Version = "v1.0" }, func(d *Desired) { d.Package = "shop" }, func(d *Desired) { d.Repository = "other" },
		func(d *Desired) { d.Name = "c" },
	} {
		changed := a
		other(&changed)
		_, ok := d.find(changed)
		assert.False(t, ok)
	}

	next, err := d.put(a, fetched(t, d, "two"))
	require.NoError(t, err)
	assert.NotEqual(t, dir, next, "the tag leads to something else")
	require.NoError(t, d.remove("demo.b"))
	require.NoError(t, d.remove("demo.b"))
	require.NoError(t, d.sweep([]string{dir}))
	assert.DirExists(t, dir, "it is in use")
	require.NoError(t, d.sweep(nil))
	assert.NoDirExists(t, dir)
	assert.DirExists(t, next)
	left, err := os.ReadDir(d.temp())
	require.NoError(t, err)
	require.Len(t, left, 1)
	assert.Equal(t, lockFile, left[0].Name())
	require.NoError(t, d.close())
	assert.NoDirExists(t, d.temp())
	names, err := d.names()
	require.NoError(t, err)
	assert.Equal(t, []string{"demo.a"}, names)
	info, err := os.Stat(next)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
}

func must(text string, err error) string {
	if err != nil {
		panic(err)
	}
	return text
}

// TestDirectoryOfTheUser is used where it is, and never removed.
func TestDirectoryOfTheUser(t *testing.T) {
	d, err := openDisk(t.TempDir(), nil)
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "package.yaml"), []byte("apiVersion: v1\ntype: Application\nname: store\n"), 0o600))
	p, err := source.Opener{}.Open(t.Context(), dir)
	require.NoError(t, err)
	where, err := d.put(Desired{Namespace: "demo", Name: "a", Version: "dev"}, p)
	require.NoError(t, err)
	assert.Equal(t, dir, where)
	require.NoError(t, d.remove("demo.a"))
	require.NoError(t, d.sweep(nil))
	assert.FileExists(t, filepath.Join(dir, "package.yaml"))
}

func TestEscaped(t *testing.T) {
	for name, want := range map[string]string{"main": "main", "a/b": "a_b", "..": "_..", "": "_", ".x": "_.x"} {
		assert.Equal(t, want, escaped(name))
	}
}

func TestMerge(t *testing.T) {
	a, b := &hook.Hook{ID: "a"}, &hook.Hook{ID: "b"}
	of := func(h *hook.Hook, name string) hook.Pending {
		return hook.Pending{Hook: h, Triggers: []hook.Trigger{hook.Scheduled(name)}}
	}
	merged, taken := merge(of(a, "1"), []any{of(b, "2"), of(a, "3"), nil, of(a, "4")})
	assert.Equal(t, []int{1}, taken, "not over anything else")
	p, ok := merged.(hook.Pending)
	require.True(t, ok)
	assert.Len(t, p.Triggers, 2)
	_, taken = merge("x", nil)
	assert.Empty(t, taken)
}

func TestDesired(t *testing.T) {
	d := Desired{Namespace: "ns", Name: "a", Registry: api.RegistrySpec{Repo: "host/path", Password: "swordfish"}}
	assert.Equal(t, "ns.a", d.InstanceName())
	assert.NotContains(t, d.asked().Source, "swordfish")
	other := d
	other.Registry.Password = "x"
	assert.NotEqual(t, d.asked().Source, other.asked().Source)
	other = d
	other.Applied, other.AppliedVersion = map[string]any{"a": int64(1)}, "v1.0.0"
	assert.Equal(t, d.asked(), other.asked(), "what was applied is not asked for")
	assert.Equal(t, "host/path", d.registry().Repository)
	_, err := New(Options{})
	require.Error(t, err)
}
