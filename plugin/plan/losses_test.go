package plan

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

func TestDeletedDefinitionsSayWhatGoesWithThem(t *testing.T) {
	crd := parsed(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crates.demo.example}
spec: {group: demo.example, names: {kind: Crate, plural: crates}}`)
	deleted := &Object{Op: OpDelete, Ref: object.RefOf(crd), Live: crd}
	kept := &Object{Ref: object.RefOf(crd), Live: crd, Desired: object.Object{Body: crd}}
	reader := &busyCluster{live: &unstructured.Unstructured{Object: map[string]any{}}}
	Planner{Cluster: reader}.noteLosses(t.Context(), &Plan{Objects: []*Object{deleted, kept}})
	require.Equal(t, []string{"1 object of its kind goes with it"}, deleted.Notes)
	require.Empty(t, kept.Notes)
}

func TestLossText(t *testing.T) {
	for want, c := range map[string]struct {
		counts   []int
		unread   []bool
		complete bool
	}{
		"it holds nothing that is not ours": {[]int{0, 0}, []bool{false, false}, true},
		"what it holds goes with it; nothing is known that is not ours, and not all kinds could be read": {[]int{0, 0}, []bool{false, true}, true},
		"it holds 1 object that is not ours and goes with it":                                            {[]int{0, 1}, []bool{false, false}, true},
		"it holds at least 1 object that is not ours and goes with it":                                   {[]int{1, 0}, []bool{false, true}, true},
		"it holds at least 3 objects that are not ours and go with it":                                   {[]int{1, 2}, []bool{false, false}, false},
	} {
		require.Equal(t, want, lossText(c.counts, c.unread, c.complete))
	}
}

func TestForeignObjectsOfANamespace(t *testing.T) {
	configMaps := cluster.Mapping{GVK: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}}
	objects := []*unstructured.Unstructured{
		{Object: parsed(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: ours, namespace: x}}`)},
		{Object: parsed(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: theirs, namespace: x}}`)},
		{Object: parsed(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: kube-root-ca.crt, namespace: x}}`)},
		{Object: parsed(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: made, namespace: x, ownerReferences: [{apiVersion: a/v1, kind: A, name: a, uid: u, controller: true}]}}`)},
	}
	ours := map[object.Ref]bool{{Kind: "ConfigMap", Namespace: "x", Name: "ours"}: true}
	require.Equal(t, 1, foreign(objects, configMaps, ours))
}
