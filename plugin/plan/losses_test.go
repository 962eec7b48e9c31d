package plan

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

func TestDeletedDefinitionsSayWhatGoesWithThem(t *testing.T) {
	crd := parsed(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crates.demo.example}
spec: {group: demo.example, names: {kind: Crate, plural: crates}}`)
	deleted := &Object{Op: OpDelete, Ref: object.RefOf(crd), Live: crd}
	kept := &Object{Ref: object.RefOf(crd), Live: crd}
	reader := &busyCluster{live: &unstructured.Unstructured{Object: map[string]any{}}}
	Planner{Cluster: reader}.noteLosses(t.Context(), []*Object{deleted, kept})
	require.Equal(t, []string{"1 object of its kind goes with it"}, deleted.Notes)
	require.Empty(t, kept.Notes)
}
