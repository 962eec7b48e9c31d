package command

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/inventory"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// What was looked at may have become another record's, or another object, by the time
// that the label is taken off.
func TestLiveForgettingTakesOnlyItsOwnLabelOff(t *testing.T) {
	file := os.Getenv("TAZUNA_TEST_KUBECONFIG")
	if file == "" {
		t.Skip("TAZUNA_TEST_KUBECONFIG names no control plane")
	}
	flags := cluster.Flags()
	cache := t.TempDir()
	flags.KubeConfig, flags.CacheDir = &file, &cache
	client, err := cluster.Connect(cluster.Options{Getter: flags, UserAgent: "kubectl-tazuna/test (command)", CacheDir: cache})
	require.NoError(t, err)
	m, err := client.Mapping(t.Context(), schema.GroupKind{Kind: "ConfigMap"}, "v1")
	require.NoError(t, err)
	body := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{
		"name": fmt.Sprintf("test-forget-%x", rand.Uint32()), "namespace": "default",
		"labels": map[string]any{state.PartOfLabel: "theirs", "other": "stays"},
	}}
	live, err := client.Create(t.Context(), m, body, cluster.WriteOptions{Manager: "test"})
	require.NoError(t, err)
	name := live.GetName()
	t.Cleanup(func() {
		_, err := client.Remove(context.WithoutCancel(t.Context()), m, "default", name, cluster.DeleteOptions{UID: live.GetUID()})
		assert.NoError(t, err)
	})
	seen := func(edit func(u *unstructured.Unstructured)) inventory.Found {
		u := live.DeepCopy()
		edit(u)
		return inventory.Found{Mapping: m, Object: u}
	}
	labels := func() map[string]string {
		now, err := client.Get(t.Context(), m, "default", name)
		require.NoError(t, err)
		return now.GetLabels()
	}

	require.NoError(t, letGo(t.Context(), client, "ours", seen(func(u *unstructured.Unstructured) {
		u.SetLabels(map[string]string{state.PartOfLabel: "ours"})
	})), "it was taken over in between")
	assert.Equal(t, map[string]string{state.PartOfLabel: "theirs", "other": "stays"}, labels())

	require.NoError(t, letGo(t.Context(), client, "theirs", seen(func(u *unstructured.Unstructured) { u.SetUID("former") })), "it was made again in between")
	assert.Equal(t, map[string]string{state.PartOfLabel: "theirs", "other": "stays"}, labels())

	require.NoError(t, letGo(t.Context(), client, "theirs", seen(func(*unstructured.Unstructured) {})))
	assert.Equal(t, map[string]string{"other": "stays"}, labels())
}
