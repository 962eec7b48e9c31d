package plan

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// staged orders objects named after their manifests: a1 is of manifest a.
func staged(t *testing.T, objects []*Object, stages ...Stage) ([]string, error) {
	t.Helper()
	for _, o := range objects {
		o.Manifest = o.Ref.Name[:1]
	}
	g, err := Order(objects, nil)
	require.NoError(t, err)
	g, err = g.Staged(objects, stages)
	var names []string
	for _, i := range g.Sequence {
		names = append(names, objects[i].Ref.Name)
	}
	return names, err
}

const stagedInput = `
{apiVersion: v1, kind: ConfigMap, metadata: {name: a1, namespace: x}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: a2, namespace: x}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: b1, namespace: x}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: c1, namespace: x}}
`

func TestStaged(t *testing.T) {
	t.Run("nothing asked", func(t *testing.T) {
		got, err := staged(t, orderInput(t, stagedInput), Stage{Manifest: "a"}, Stage{Manifest: "b"})
		require.NoError(t, err)
		assert.Equal(t, []string{"a1", "a2", "b1", "c1"}, got)
	})
	t.Run("a chain against the order of the file", func(t *testing.T) {
		got, err := staged(t, orderInput(t, stagedInput),
			Stage{Manifest: "a", After: []string{"b"}}, Stage{Manifest: "b", After: []string{"c"}}, Stage{Manifest: "c"})
		require.NoError(t, err)
		assert.Equal(t, []string{"c1", "b1", "a1", "a2"}, got)
	})
	t.Run("a manifest without objects passes on", func(t *testing.T) {
		got, err := staged(t, orderInput(t, stagedInput),
			Stage{Manifest: "a", After: []string{"e"}}, Stage{Manifest: "e", After: []string{"b"}}, Stage{Manifest: "b"})
		require.NoError(t, err)
		assert.Equal(t, []string{"b1", "c1", "a1", "a2"}, got)
	})
	t.Run("one that is not in the run counts as done", func(t *testing.T) {
		got, err := staged(t, orderInput(t, stagedInput), Stage{Manifest: "a", After: []string{"z"}})
		require.NoError(t, err)
		assert.Len(t, got, 4)
	})
	t.Run("deletions go the other way, and last", func(t *testing.T) {
		objects := append(orderDeletions(t, `
{apiVersion: v1, kind: ConfigMap, metadata: {name: a3, namespace: x}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: b3, namespace: x}}
`), orderInput(t, stagedInput)...)
		got, err := staged(t, objects, Stage{Manifest: "a", After: []string{"b"}, Behind: true}, Stage{Manifest: "b"})
		require.NoError(t, err)
		assert.Equal(t, []string{"b1", "c1", "a1", "a2", "a3", "b3"}, got)
	})
}

// Configuration comes before the workloads of its namespace, unless the file says
// otherwise.
func TestStagedOverridesOrderAlone(t *testing.T) {
	got, err := staged(t, orderInput(t, `
{apiVersion: v1, kind: ConfigMap, metadata: {name: b1, namespace: x}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: a1, namespace: x}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: c1, namespace: x}}
`), Stage{Manifest: "b", After: []string{"a"}}, Stage{Manifest: "a"}, Stage{Manifest: "c"})
	require.NoError(t, err)
	assert.Less(t, slices.Index(got, "a1"), slices.Index(got, "b1"))
}

// A manifest can't wait for one that needs an object of it.
func TestStagedRefusesCircles(t *testing.T) {
	_, err := staged(t, orderInput(t, `
{apiVersion: v1, kind: Namespace, metadata: {name: a}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: b1, namespace: a}}
`), Stage{Manifest: "a", After: []string{"b"}}, Stage{Manifest: "b"})
	var circle *CycleError
	require.ErrorAs(t, err, &circle)
	assert.Contains(t, err.Error(), `Namespace a (the start of its manifest) -> the start of manifest "a" (its dependsOn) -> manifest "b" (its objects) -> ConfigMap a/b1 (its namespace) -> Namespace a`)
}

func TestStagedGates(t *testing.T) {
	objects := orderInput(t, stagedInput)
	for _, o := range objects {
		o.Manifest = o.Ref.Name[:1]
	}
	g, err := Order(objects, nil)
	require.NoError(t, err)
	g, err = g.Staged(objects, []Stage{{Manifest: "a", Before: true, Behind: true}, {Manifest: "b"}})
	require.NoError(t, err)
	var groups []string
	for _, n := range g.Nodes {
		if n.Object < 0 {
			groups = append(groups, n.Group)
		}
	}
	assert.Subset(t, groups, []string{GateBefore("a"), GateBehind("a")})
	assert.NotContains(t, groups, GateBehind("b"), "a manifest that nobody waits for costs nothing")
}
