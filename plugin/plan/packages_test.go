package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

const twoConfigMaps = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}}\n---\n" +
	"{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: x}}\n---\n" +
	"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, namespace: x}\n" +
	"spec: {template: {spec: {containers: [{name: c, envFrom: [{configMapRef: {name: b}}, {secretRef: {name: s, optional: true}}]}]}}}\n"

func TestLinked(t *testing.T) {
	objects := orderInput(t, twoConfigMaps)
	base, err := Order(objects, nil)
	require.NoError(t, err)
	gate := base.GroupNode(0)
	linked, err := base.Linked(objects, []string{"a gate"}, []Link{
		{Later: gate, Edge: Edge{On: 2, Need: NeedReady, Hard: true}},
		{Later: 0, Edge: Edge{On: gate, Need: NeedReady, Hard: true}},
		{Later: 0, Edge: Edge{On: 0}}, // on itself: nothing
	})
	require.NoError(t, err)
	assert.Equal(t, []int{1, 2, 0}, linked.Sequence, "our own order of kinds gives way")
	assert.Equal(t, "a gate", linked.Nodes[gate].Group)
	assert.Len(t, base.Nodes, gate, "the graph it was made of is as it was")

	_, err = base.Linked(objects, nil, []Link{
		{Later: 0, Edge: Edge{On: 1, Hard: true, Why: "one"}}, {Later: 1, Edge: Edge{On: 0, Hard: true, Why: "two"}},
	})
	var circle *CycleError
	require.ErrorAs(t, err, &circle)
	assert.Len(t, circle.Members, 2)
}

func TestPodNeeds(t *testing.T) {
	objects := orderInput(t, twoConfigMaps)
	assert.Equal(t, []object.Ref{{Kind: "ConfigMap", Namespace: "x", Name: "b"}}, objects[2].PodNeeds(), "what is optional doesn't count")
	assert.Nil(t, objects[0].PodNeeds())
}

// TestPackagePolicy: what packages may do that manifests may not, and whose fields
// count as theirs.
func TestPackagePolicy(t *testing.T) {
	p := PackagePolicy()
	assert.True(t, p.ForceConflicts && p.Prune && p.PruneProtected && p.RecreateRuns)
	assert.False(t, p.Recreate, "nothing else is made anew unless it asks for it")
	for _, ours := range []Author{
		{Manager: "helm", Operation: "Apply"},
		{Manager: "helm", Operation: "Update"},
		{Manager: "kubectl-edit", Operation: "Update"},
		{Manager: "kubectl-client-side-apply", Operation: "Update"},
	} {
		assert.True(t, p.adopts(ours), ours.Manager)
	}
	for _, theirs := range []Author{
		{Manager: "kubectl", Operation: "Apply"},
		{Manager: "operator", Operation: "Update"},
		{Manager: "kube-controller-manager", Operation: "Update"},
		{Manager: "kubectl-edit", Operation: "Update", Subresource: "scale"},
		{Manager: "helm", Operation: "Apply", Subresource: "status"},
	} {
		assert.False(t, p.adopts(theirs), theirs.Manager)
	}
}
