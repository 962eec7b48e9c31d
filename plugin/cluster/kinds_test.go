package cluster

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLiveNamespacedKinds(t *testing.T) {
	c := live(t)
	kinds, _, err := c.NamespacedKinds(t.Context())
	require.NoError(t, err)
	var names []string
	for _, m := range kinds {
		assert.True(t, m.Namespaced, m.GVR)
		names = append(names, m.GVR.Resource+"."+m.GVR.Group)
	}
	for _, want := range []string{"configmaps.", "secrets.", "deployments.apps", "roles.rbac.authorization.k8s.io"} {
		assert.Contains(t, names, want)
	}
	for _, not := range []string{
		"namespaces.", "events.", "events.events.k8s.io", "endpoints.", "bindings.", "pods/log.", "localsubjectaccessreviews.authorization.k8s.io",
	} {
		assert.NotContains(t, names, not)
	}
	slices.Sort(names)
	assert.Len(t, slices.Compact(slices.Clone(names)), len(names), "each once")
}
