package admission

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// Both policies leave alone what has the label of maintenance, spelt as the platform
// does (complaints 12 and 13). That they do in a cluster is in the script
// packages-admission.
func TestComplaint12LabelOfMaintenance(t *testing.T) {
	assert.Equal(t, "maintenance.deckhouse.io/no-resource-reconciliation", api.LabelMaintenance)
	found := 0
	for _, body := range Policies([]string{"me"}) {
		if body["kind"] != "ValidatingAdmissionPolicy" {
			continue
		}
		conditions, _, err := unstructured.NestedSlice(body, "spec", "matchConditions")
		require.NoError(t, err)
		for _, c := range conditions {
			if m := c.(map[string]any); m["name"] == "not-in-maintenance" {
				assert.Contains(t, m["expression"], "'maintenance.deckhouse.io/no-resource-reconciliation' in ")
				found++
			}
			if m := c.(map[string]any); m["name"] == "not-trusted" {
				assert.Contains(t, m["expression"], "'me'")
			}
		}
	}
	assert.Equal(t, 2, found)
}
