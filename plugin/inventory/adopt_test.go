package inventory

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// oneObject is a cluster that holds one ConfigMap.
type oneObject struct {
	name string
	data map[string]any
}

func (oneObject) Mapping(_ context.Context, gk schema.GroupKind, version string) (cluster.Mapping, error) {
	return cluster.Mapping{GVK: gk.WithVersion(version), Namespaced: true}, nil
}

func (c oneObject) Get(_ context.Context, _ cluster.Mapping, _, name string) (*unstructured.Unstructured, error) {
	if name != c.name {
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, name)
	}
	return &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": name}, "data": c.data}}, nil
}

func (oneObject) List(context.Context, cluster.Mapping, cluster.ListOptions) ([]*unstructured.Unstructured, error) {
	return nil, nil
}

func TestKappApp(t *testing.T) {
	spec := map[string]any{"spec": `{"labelKey":"kapp.k14s.io/app","labelValue":"17"}`}
	for _, name := range []string{"web", "web.apps.k14s.io"} {
		s, err := KappApp(t.Context(), oneObject{name, spec}, "a", "web")
		require.NoError(t, err, name)
		require.Equal(t, "kapp.k14s.io/app=17", s.Selector)

		of := func(kind, identity string) bool {
			u := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{
				"name": "web", "annotations": map[string]any{kappIdentity: identity},
			}}}
			return s.Belongs(cluster.Mapping{GVK: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: kind}}, u)
		}
		require.True(t, of("Deployment", "v1;a/apps/Deployment/web;apps/v1"))
		require.False(t, of("ReplicaSet", "v1;a/apps/Deployment/web;apps/v1"), "an annotation that was copied")
		require.False(t, of("Deployment", ""))
	}
	_, err := KappApp(t.Context(), oneObject{"web", map[string]any{"spec": "{}"}}, "a", "web")
	require.ErrorContains(t, err, "wanted a kapp app")
	_, err = KappApp(t.Context(), oneObject{"web", map[string]any{"spec": `{"labelKey":"a","labelValue":"1),b=c"}`}}, "a", "web")
	require.ErrorContains(t, err, "ConfigMap a/web: labelKey and labelValue in .data.spec are no label")
	_, err = KappApp(t.Context(), oneObject{"other", spec}, "a", "web")
	require.True(t, apierrors.IsNotFound(err))
}

func TestApplySetWantsAnID(t *testing.T) {
	for _, id := range []string{"", "web", "applyset-a,b=c"} {
		_, err := ApplySet(id)
		require.ErrorContains(t, err, "ApplySet", id)
	}
	s, err := ApplySet("applyset-abc-v1")
	require.NoError(t, err)
	require.Equal(t, "applyset.kubernetes.io/part-of=applyset-abc-v1", s.Selector)
}
