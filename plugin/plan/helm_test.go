package plan

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// helmCluster has the Secrets of releases. A real Helm's are read in test/e2e.
type helmCluster struct {
	busyCluster
	secrets []*unstructured.Unstructured
	err     error
	asked   []cluster.ListOptions
}

func (c *helmCluster) List(_ context.Context, _ cluster.Mapping, o cluster.ListOptions) ([]*unstructured.Unstructured, error) {
	c.asked = append(c.asked, o)
	return c.secrets, c.err
}

// releaseSecret packs a manifest as Helm does.
func releaseSecret(t *testing.T, version int, manifest string) *unstructured.Unstructured {
	t.Helper()
	data, err := json.Marshal(map[string]any{"name": "web", "manifest": manifest, "version": version})
	require.NoError(t, err)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err = w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	text := base64.StdEncoding.EncodeToString(packed.Bytes())
	return packedSecret(version, base64.StdEncoding.EncodeToString([]byte(text)))
}

func packedSecret(version int, release string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"release": release}}}
	u.SetLabels(map[string]string{"owner": "helm", "name": "web", "status": "deployed", "version": strconv.Itoa(version)})
	return u
}

const helmMade = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop, annotations: {meta.helm.sh/release-name: web, meta.helm.sh/release-namespace: shop}}\n"

func TestHelmReleaseTellsWhatWasApplied(t *testing.T) {
	const old = "---\n# Source: web/templates/a.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: old}\n"
	const current = "---\n# Source: web/templates/a.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: shop\ndata: {k: new, other: null}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"
	tests := map[string]struct {
		live    string
		secrets []*unstructured.Unstructured
		err     error
		want    string
		wantErr string
		silent  bool // not even asked
	}{
		"the newest deployed revision": {
			live: helmMade, secrets: []*unstructured.Unstructured{releaseSecret(t, 9, old), releaseSecret(t, 10, current), releaseSecret(t, 2, old)},
			want: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop, labels: {app.kubernetes.io/managed-by: Helm}}\ndata: {k: new}",
		},
		"a manifest without a namespace": {
			live: helmMade, secrets: []*unstructured.Unstructured{releaseSecret(t, 1, old)},
			want: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {app.kubernetes.io/managed-by: Helm}}\ndata: {k: old}",
		},
		"an object of no release":     {live: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}", silent: true},
		"a release that is not there": {live: helmMade},
		"a release without the object": {
			live: helmMade, secrets: []*unstructured.Unstructured{releaseSecret(t, 1, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}")},
		},
		"no permission": {
			live: helmMade, err: apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "", nil),
			wantErr: "what the Helm release shop/web applied can't be read: no permission to read its Secret",
		},
		"no base64":   {live: helmMade, secrets: []*unstructured.Unstructured{packedSecret(1, "hunter2!")}, wantErr: "holds no base64"},
		"no release":  {live: helmMade, secrets: []*unstructured.Unstructured{packedSecret(1, "YUhWdWRHVnlNZz09")}, wantErr: "holds no JSON of a release"},
		"a bad label": {live: helmMade, secrets: []*unstructured.Unstructured{{Object: map[string]any{}}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := &helmCluster{secrets: tt.secrets, err: tt.err}
			releases := &helmReleases{}
			live := parsed(t, tt.live)
			for range 2 { // asked once
				got, err := releases.applied(t.Context(), c, object.Ref{Kind: "ConfigMap", Namespace: "shop", Name: "a"}, live)
				if tt.wantErr != "" {
					require.ErrorContains(t, err, tt.wantErr)
					require.NotContains(t, err.Error(), "hunter2")
				} else {
					require.NoError(t, err)
				}
				var want map[string]any
				if tt.want != "" {
					want = parsed(t, tt.want)
				}
				require.Equal(t, want, got)
			}
			if tt.silent {
				require.Empty(t, c.asked)
				return
			}
			require.Equal(t, []cluster.ListOptions{{Namespace: "shop", LabelSelector: "name=web,owner=helm,status=deployed"}}, c.asked)
		})
	}
}
