package controller

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// A definition that was just made has null for conditions, which is no fault.
func TestIsEstablished(t *testing.T) {
	condition := func(kind, status string) any { return map[string]any{"type": kind, "status": status} }
	tests := map[string]struct {
		status any
		want   bool
	}{
		"no status":  {nil, false},
		"null":       {map[string]any{"conditions": nil}, false},
		"none":       {map[string]any{"conditions": []any{}}, false},
		"names only": {map[string]any{"conditions": []any{condition("NamesAccepted", "True")}}, false},
		"not yet":    {map[string]any{"conditions": []any{condition("Established", "False")}}, false},
		"served":     {map[string]any{"conditions": []any{condition("NamesAccepted", "True"), condition("Established", "True")}}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, isEstablished(map[string]any{"status": tt.status}))
		})
	}
}

// A server lists its kinds one after the other; a controller that began between two of
// them ended with "no matches for kind".
func TestUnlisted(t *testing.T) {
	crds, err := api.CRDs()
	require.NoError(t, err)
	assert.Equal(t, crds[0].GetName(), unlisted(crds, nil), "the group isn't there")
	list := &metav1.APIResourceList{}
	for i, crd := range crds {
		assert.Equal(t, crd.GetName(), unlisted(crds, list), "%d of them are listed", i)
		names := crd.Object["spec"].(map[string]any)["names"].(map[string]any)
		list.APIResources = append(list.APIResources, metav1.APIResource{Name: names["plural"].(string), Kind: names["kind"].(string)})
	}
	assert.Empty(t, unlisted(crds, list))
}
