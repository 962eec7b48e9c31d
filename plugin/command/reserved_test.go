package command

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/build"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

func TestNamesOfRecordsAreReserved(t *testing.T) {
	yes := []object.Ref{
		{Kind: "ConfigMap", Namespace: "tazuna", Name: state.StateName("web")},
		{Kind: "ConfigMap", Namespace: "tazuna", Name: state.StateName("web") + ".1"},
		{Kind: "Secret", Namespace: "tazuna", Name: state.BodiesName("web")},
		{Kind: "Secret", Namespace: "tazuna", Name: state.HashKeyName},
		{Group: "coordination.k8s.io", Kind: "Lease", Namespace: "tazuna", Name: state.LockName("web")},
	}
	for _, ref := range yes {
		require.True(t, reserved(ref), "%s", ref)
		elsewhere := ref
		elsewhere.Namespace = "shop"
		require.False(t, reserved(elsewhere), "%s", elsewhere)
		stranger := ref
		stranger.Group = "demo.example"
		require.False(t, reserved(stranger), "%s", stranger)
	}
	require.False(t, reserved(object.Ref{Kind: "ConfigMap", Namespace: "tazuna", Name: "web"}))
	require.False(t, reserved(object.Ref{Kind: "Namespace", Name: "tazuna"}))
}

func TestRefuseReservedNamesThePlace(t *testing.T) {
	at := func(name string) object.Object {
		return object.Object{
			Body: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{
				"name": name, "namespace": state.Namespace,
			}},
			Origin: object.Origin{File: "a.yaml", Document: 2, Line: 7},
		}
	}
	require.NoError(t, refuseReserved([]build.Result{{Objects: []object.Object{at("web")}}}))
	err := refuseReserved([]build.Result{{Objects: []object.Object{at("web"), at(state.StateName("web"))}}})
	require.EqualError(t, err, "a.yaml: document 2, line 7: ConfigMap tazuna/tazuna-state-web is a name for the records of this tool: choose another name or namespace")
}
