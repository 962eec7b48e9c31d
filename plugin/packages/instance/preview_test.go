//go:build unix

package instance

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/source"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/values"
)

// rendered is the data of the one object of a preview.
func rendered(t *testing.T, p *Preview) map[string]any {
	t.Helper()
	require.NotNil(t, p.Result)
	require.Len(t, p.Result.Objects, 1)
	return p.Result.Objects[0].Body["data"].(map[string]any)
}

func openBundle(t *testing.T, files map[string]string) *source.Package {
	t.Helper()
	p, err := source.Opener{}.Open(t.Context(), bundleDir(t, files))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, p.Close()) })
	return p
}

func TestLook(t *testing.T) {
	marker := t.TempDir() + "/ran"
	hooks := map[string]string{"hooks/a.sh": shell("beforeHelm: 1", patch("count", "4"))}
	running := load(t, &Shelf{}, bundleDir(t, hooks), "shop")
	_, err := running.Configure(t.Context(), map[string]any{"class": "a"}, values.Change{})
	require.NoError(t, err)
	for _, call := range running.Stage(binding.BeforeHelm) {
		_, err := running.Run(t.Context(), call, &cluster{})
		require.NoError(t, err)
	}
	applied := values.Change{Applied: running.Settings()}
	wanted := Wanted{Namespace: "demo", Name: "shop", Former: running, Version: "v2.0.0"}

	// Other settings of what runs: what hooks have set stays.
	w := wanted
	w.Settings, w.Change = map[string]any{"class": "a", "replicas": int64(3), "password": "hunter2"}, applied
	seen, err := running.Look(t.Context(), w)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"count": "4", "replicas": "3"}, rendered(t, seen))
	assert.Contains(t, seen.Secrets, "hunter2")
	assert.Equal(t, []string{"hooks/a.sh"}, seen.Programs)
	assert.Equal(t, int64(1), running.Settings()["replicas"], "nothing loaded changes")

	// They are judged as they would be.
	w.Settings = map[string]any{"class": "b"}
	_, err = running.Look(t.Context(), w)
	require.ErrorContains(t, err, "class")

	// Another version: its hooks are not run, not even for their configuration.
	other := openBundle(t, map[string]string{"hooks/b.sh": "#!/bin/sh\ntouch " + marker + "\n"})
	w = wanted
	w.Settings, w.Change = map[string]any{"class": "a"}, values.Change{Applied: running.Settings(), NewVersion: true}
	seen, err = Look(t.Context(), other, w)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"count": "4", "replicas": "1"}, rendered(t, seen))
	assert.Equal(t, []string{"hooks/b.sh"}, seen.Programs)
	assert.Equal(t, "v2.0.0", seen.Definition.Version)
	assert.NoFileExists(t, marker)

	// One with another schema, in which there is no place for what hooks set.
	narrow := openBundle(t, map[string]string{"openapi/values.yaml": "x-extend: {schema: settings.yaml}\ntype: object\nproperties: {internal: {type: object, default: {}, properties: {count: {type: string}}}}\n"})
	seen, err = Look(t.Context(), narrow, w)
	require.NoError(t, err)
	assert.Contains(t, seen.Misfit, "internal.count")
	assert.Empty(t, rendered(t, seen)["count"])

	// Nothing to render is no error; a template that fails is.
	seen, err = Look(t.Context(), openBundle(t, map[string]string{"templates/c.yaml": ""}), w)
	require.NoError(t, err)
	assert.Nil(t, seen.Result)
	_, err = Look(t.Context(), openBundle(t, map[string]string{"templates/c.yaml": "{{ fail \"no\" }}"}), w)
	require.ErrorContains(t, err, "no")
}
