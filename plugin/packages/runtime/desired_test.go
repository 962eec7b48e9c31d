package runtime

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schedule"
)

// TestFactsModules: what modules require themselves reaches the scheduler, and what
// can't be read is no module to count on.
func TestFactsModules(t *testing.T) {
	f := Facts{
		Bootstrapped: true,
		Modules:      map[string]string{"a": "v1.0.0", "b": "v2.1.0", "c": "v1.0.0", "odd": "v1.0.0"},
		Needs:        map[string]map[string]string{"a": {"b": ">= 2.0", "c": ""}, "odd": {"a": "newest"}},
	}
	s := schedule.New()
	s.SetFacts(schedule.Facts{Bootstrapped: f.Bootstrapped})
	_, err := s.SetModules(f.nodes())
	require.NoError(t, err)
	all := s.Dump().Nodes
	assert.Equal(t, schedule.Active, all["a"].State)
	assert.Equal(t, map[string]schedule.DependencyDump{"b": {Constraint: ">= 2.0"}, "c": {}}, all["a"].Dependencies)
	assert.Equal(t, schedule.Disable, all["odd"].Decision.Kind)
	assert.Contains(t, all["odd"].Decision.Message, "properties.requirements.modules.a: wanted a range of versions")

	delete(f.Modules, "b")
	_, err = s.SetModules(f.nodes())
	require.NoError(t, err)
	assert.Equal(t, "dependency 'b' not enabled (wanted >= 2.0)", s.Dump().Nodes["a"].Decision.Message)
}
