package cluster

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestErrorTexts(t *testing.T) {
	deployment := schema.GroupKind{Group: "apps", Kind: "Deployment"}
	base := errors.New("boom")
	tests := []struct {
		err  error
		want string
	}{
		{&Error{Verb: "apply", GroupKind: deployment, Namespace: "default", Name: "web", Err: base}, "apply Deployment.apps default/web: boom"},
		{&Error{Verb: "get", GroupKind: schema.GroupKind{Kind: "Namespace"}, Name: "shop", Err: base}, "get Namespace shop: boom"},
		{&Error{Verb: "list", GroupKind: deployment, Namespace: "shop", Err: base}, "list Deployment.apps in namespace shop: boom"},
		{&Error{Verb: "list", GroupKind: deployment, Err: base}, "list Deployment.apps: boom"},
		{&ErrNoKind{GroupKind: schema.GroupKind{Group: "policy", Kind: "PodDisruptionBudget"}, Version: "v1beta1", Served: []string{"v1"}}, `no matches for kind "PodDisruptionBudget" in version "policy/v1beta1": the cluster serves it as policy/v1`},
		{&ErrNoKind{GroupKind: deployment, Version: "v2"}, `no matches for kind "Deployment" in version "apps/v2": the cluster does not serve it`},
		{&ErrNoKind{GroupKind: deployment}, `no matches for kind "Deployment" in group apps`},
		{&ErrNoKind{GroupKind: schema.GroupKind{Kind: "Thing"}}, `no matches for kind "Thing" in the core group`},
		{&ErrUnavailable{GroupVersion: schema.GroupVersion{Group: "metrics.k8s.io", Version: "v1beta1"}, Reason: "gone"}, "the API metrics.k8s.io/v1beta1 is registered but unavailable (gone)"},
		{&ErrUnavailable{GroupVersion: schema.GroupVersion{Group: "metrics.k8s.io", Version: "v1"}}, "the API metrics.k8s.io/v1 is registered but unavailable"},
		{&ErrUnavailable{GroupVersion: schema.GroupVersion{Group: "metrics.k8s.io"}}, "the API metrics.k8s.io is registered but unavailable"},
		{&ErrOutcomeUnknown{Err: base}, "no answer, the change may have been made all the same: boom"},
	}
	for _, tt := range tests {
		require.EqualError(t, tt.err, tt.want)
	}
	require.ErrorIs(t, tests[0].err, base)
	require.ErrorIs(t, &ErrOutcomeUnknown{Err: base}, base)
}
