package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

func TestDeletionsGoInReverseOfTheRecord(t *testing.T) {
	entry := func(name string, order int) state.Entry {
		return state.Entry{Key: state.Key{Manifest: "m", Version: "v1", Kind: "ConfigMap", Name: name}, Order: order}
	}
	entries := []state.Entry{entry("a", 2), entry("b", 0), entry("c", 3), entry("d", 0), entry("e", 1)}
	var names []string
	for _, e := range lastFirst(entries) {
		names = append(names, e.Key.Name)
	}
	require.Equal(t, []string{"c", "a", "e", "b", "d"}, names, "those of which nothing is known come last")
	require.Equal(t, "a", entries[0].Key.Name, "the record is not changed")
}

func TestSentence(t *testing.T) {
	ref := object.Ref{Kind: "ConfigMap", Namespace: "x", Name: "a"}
	require.Equal(t, "ConfigMap x/a moves from manifest a to manifest b", sentence(ref, "it moves from manifest a to manifest b"))
	require.Equal(t, "ConfigMap x/a is not deleted: its annotation says so", sentence(ref, "its annotation says so"))
}

// A deletion that a guard refuses is no object of the files: it is ordered, and
// counted, among what leaves.
func TestRefusedDeletionsLeave(t *testing.T) {
	crd := parsed(t, `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: a.b, uid: u}, spec: {}}`)
	refused := &Object{Op: OpRefuse, Ref: object.RefOf(crd), Live: crd}
	require.True(t, refused.Leaves())
	kept := &Object{Op: OpUpdate, Ref: object.Ref{Kind: "ConfigMap", Namespace: "x", Name: "a"}, Desired: object.Object{Body: parsed(t, settingsYAML)}}
	require.False(t, kept.Leaves())
	graph, err := Order([]*Object{refused, kept}, nil)
	require.NoError(t, err)
	require.Equal(t, []int{1, 0}, graph.Sequence)
}

const settingsYAML = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}}`
