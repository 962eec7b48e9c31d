package state

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

func TestKeyText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Key{
		"nginx/apps/v1/Deployment/default/nginx": {
			Manifest: "nginx", Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "default", Name: "nginx",
		},
		"my-manifest//v1/ConfigMap/default/my-cm": {
			Manifest: "my-manifest", Version: "v1", Kind: "ConfigMap", Namespace: "default", Name: "my-cm",
		},
		"m//v1/Namespace/prod": {Manifest: "m", Version: "v1", Kind: "Namespace", Name: "prod"},
		"m/rbac.authorization.k8s.io/v1/ClusterRole/system:node": {
			Manifest: "m", Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole", Name: "system:node",
		},
	} {
		got, err := ParseKey(text)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		assert.Equal(t, text, got.String())
	}
}

func TestParseKeyRefuses(t *testing.T) {
	t.Parallel()
	for text, wanted := range map[string]string{
		"":                       "found 1",
		"broken/v1/ConfigMap":    "found 3",
		"m/g/v1/K/ns/name/x":     "found 7",
		"m/g/v1/K/":              "the name is empty",
		"m/g//K/name":            "the version is empty",
		"m/g/v1//name":           "the kind is empty",
		"/g/v1/K/name":           "the manifest is empty",
		"m/g/v1/K//name":         "the namespace is empty",
		"m/g/v1/K/default/":      "the name is empty",
		"////////////////////":   "found 21",
		"m__g__v1__K__ns__name":  "found 1",
		"m/g/v1/K/ns/a/../../b/": "found 10",
		"m/g/v1/K/ns/a\x91":      "no UTF-8",
		"m//v1/K/../x":           "the namespace may not be '..'",
		"m//v1/K/ns/..":          "the name may not be '..'",
		"m//v1/K/a%b":            "the name may not contain '%'",
	} {
		_, err := ParseKey(text)
		require.ErrorContains(t, err, wanted, "%q", text)
	}
}

func TestKeyOfObject(t *testing.T) {
	t.Parallel()
	o := object.Object{Body: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": "web", "namespace": "shop"},
	}}
	k := KeyOf("m", o)
	assert.Equal(t, "m/apps/v1/Deployment/shop/web", k.String())
	assert.Equal(t, o.Ref(), k.Ref())
	assert.Equal(t, "apps/v1", k.APIVersion())
	assert.Equal(t, "v1", Key{Version: "v1"}.APIVersion())
}

// The order of listings is that of the state keys. Data keys sort differently,
// since "-" and "." come before "/" and "_" after it.
func TestCompareKeysIsNotTheOrderOfDataKeys(t *testing.T) {
	t.Parallel()
	a := Key{Manifest: "m", Version: "v1", Kind: "K", Namespace: "a", Name: "z"}
	b := Key{Manifest: "m", Version: "v1", Kind: "K", Namespace: "a-b", Name: "a"}
	assert.Positive(t, CompareKeys(a, b))
	assert.Greater(t, a.DataKey(), b.DataKey())
	c := Key{Manifest: "m", Version: "v1", Kind: "K", Namespace: "a0", Name: "a"}
	assert.Negative(t, CompareKeys(a, c))
	assert.Greater(t, a.DataKey(), c.DataKey(), "the data keys are the other way round")
}
