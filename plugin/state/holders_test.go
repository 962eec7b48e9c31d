package state

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

func TestHolders(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	record := func(name, manifest string, data map[string]any) {
		f.put(map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "data": data,
			"metadata": map[string]any{"name": name, "namespace": Namespace, "annotations": map[string]any{AnnotationManifest: manifest}},
		})
	}
	record("tazuna-state-a", "a", map[string]any{
		"_metadata": "{}", "a____v1__ConfigMap__x__one": `{"contentHash":"00"}`, "a____v1__ConfigMap__x__two": `{"contentHash":""}`,
	})
	record("tazuna-state-b", "b", map[string]any{"b____v1__ConfigMap__x__two": `{not json`})
	record("tazuna-state-b.1", "b", map[string]any{"b__apps__v1__Deployment__x__web": `{"contentHash":"00"}`})
	record("somebody", "c", map[string]any{"c____v1__ConfigMap__x__one": `{"contentHash":"00"}`})

	got, err := newStore(f).Holders(t.Context())
	require.NoError(t, err)
	assert.Equal(t, map[object.Ref][]string{
		{Kind: "ConfigMap", Namespace: "x", Name: "one"}:                 {"a"},
		{Kind: "ConfigMap", Namespace: "x", Name: "two"}:                 {"a", "b"},
		{Group: "apps", Kind: "Deployment", Namespace: "x", Name: "web"}: {"b"},
	}, got)
	assert.Empty(t, writes(f.requests()))
}
