package state

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation"
)

func TestApplySetID(t *testing.T) {
	t.Parallel()
	// printf %s tazuna-state-nginx.tazuna.ConfigMap. | openssl dgst -sha256 -binary | basenc --base64url
	assert.Equal(t, "applyset-W8J0CpRfbwo2nQRoo1aXHQ3FLKDG0nngEQmiCRbMI9E-v1", ApplySetID("tazuna-state-nginx", "tazuna"))
	assert.Empty(t, validation.IsValidLabelValue(ApplySetID("tazuna-state-nginx", "tazuna")))
	assert.NotEqual(t, ApplySetID("a.b", "c"), ApplySetID("a", "b.c.ConfigMap"))
}

func TestParentMetadata(t *testing.T) {
	t.Parallel()
	keys := []Key{
		mustKey(t, "m//v1/ConfigMap/b/a"), mustKey(t, "m/apps/v1/Deployment/a/a"), mustKey(t, "m//v1/Namespace/b"),
		mustKey(t, "m/apps/v1beta1/Deployment/b/a"), mustKey(t, "m//v1/ConfigMap/tazuna/a"),
	}
	labels, annotations := parentMetadata("tazuna-state-m", "1.2.3", slices.Values(keys))
	assert.Equal(t, map[string]string{ParentIDLabel: ApplySetID("tazuna-state-m", "tazuna")}, labels)
	assert.Equal(t, map[string]string{
		ToolingAnnotation:    "kubectl-tazuna/v1.2.3",
		GroupKindsAnnotation: "ConfigMap,Deployment.apps,Namespace",
		NamespacesAnnotation: "a,b",
	}, annotations)

	_, annotations = parentMetadata("tazuna-state-m", "1.2.3", slices.Values(keys[2:3]))
	assert.NotContains(t, annotations, NamespacesAnnotation, "the KEP reserves the empty value")
}

func TestParentOfTooManyNamespaces(t *testing.T) {
	t.Parallel()
	var keys []Key
	for i := range 3000 {
		keys = append(keys, Key{Kind: "K", Namespace: fmt.Sprintf("%063d", i)})
	}
	labels, annotations := parentMetadata("tazuna-state-m", "1.2.3", slices.Values(keys))
	assert.Nil(t, labels)
	assert.Nil(t, annotations)

	f := newFakeCluster(t).withNamespace()
	s := begin(t, newStore(f), "m")
	for _, k := range keys {
		k.Manifest, k.Version, k.Name = "m", "v1", "a"
		s.Applied(Entry{Key: k, ContentHash: hashA})
	}
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
	u := f.get("ConfigMap", "tazuna-state-m")
	assert.NotContains(t, u.GetLabels(), ParentIDLabel)
	assert.NotContains(t, u.GetAnnotations(), ToolingAnnotation)
}

// Before the apply the parent covers old and new kinds, after it only what is
// left: KEP-3659 asks for both.
func TestParentGrowsBeforeAndShrinksAfter(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	s := begin(t, newStore(f), "m")
	s.Applied(entry(t, "m//v1/ConfigMap/old/a", hashA))
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
	require.NoError(t, s.WriteAhead(t.Context(), []Key{mustKey(t, "m/apps/v1/Deployment/new/a")}))
	annotations := f.get("ConfigMap", "tazuna-state-m").GetAnnotations()
	assert.Equal(t, "ConfigMap,Deployment.apps", annotations[GroupKindsAnnotation])
	assert.Equal(t, "new,old", annotations[NamespacesAnnotation])
	s.Applied(entry(t, "m/apps/v1/Deployment/new/a", hashA))
	s.Removed(mustKey(t, "m//v1/ConfigMap/old/a"))
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
	annotations = f.get("ConfigMap", "tazuna-state-m").GetAnnotations()
	assert.Equal(t, "Deployment.apps", annotations[GroupKindsAnnotation])
	assert.Equal(t, "new", annotations[NamespacesAnnotation])
}

func TestToolingVersion(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"v1.2.3": "v1.2.3", "1.2.3-rc.1": "v1.2.3-rc.1", "dev": "v0.0.0", "": "v0.0.0", "(devel)": "v0.0.0", "v2": "v2",
	} {
		assert.Equal(t, want, toolingVersion(in))
	}
}

func TestCheckTooling(t *testing.T) {
	t.Parallel()
	for _, ours := range []string{"", "kubectl-tazuna/v0.0.1", "kubectl-tazuna/v9"} {
		require.NoError(t, checkTooling("c", ours))
	}
	for _, theirs := range []string{"kubectl/v1.27", "kubectl-tazuna", "x/kubectl-tazuna/v1", strings.Repeat("x", 10)} {
		require.ErrorContains(t, checkTooling("c", theirs), theirs)
	}
}
