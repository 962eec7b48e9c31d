package cluster

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const twoContexts = `apiVersion: v1
kind: Config
current-context: one
clusters:
- {name: c1, cluster: {server: "https://one.example:6443"}}
- {name: c2, cluster: {server: "https://two.example:6443"}}
users:
- {name: u1, user: {token: t}}
- {name: u2, user: {token: t}}
contexts:
- {name: one, context: {cluster: c1, user: u1, namespace: shop}}
- {name: two, context: {cluster: c2, user: u2}}
`

func TestElsewhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(file, []byte(twoContexts), 0o600))
	for _, tt := range []struct{ server, cluster, want string }{
		{"", "", ""},
		{"https://one.example:6443/", "", ""},
		{"https://two.example:6443", "", "--server"},
		{"", "c1", ""},
		{"", "c2", "--cluster"},
	} {
		flags := Flags()
		flags.KubeConfig, flags.APIServer, flags.ClusterName = &file, &tt.server, &tt.cluster
		c, err := Connect(Options{Getter: flags})
		require.NoError(t, err)
		assert.Equal(t, tt.want, c.Elsewhere(), "%+v", tt)
	}
}

func TestContextAndNamespace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(file, []byte(twoContexts), 0o600))
	tests := []struct {
		name      string
		flags     map[string]string
		want      ContextInfo
		namespace string
		explicit  bool
	}{
		{"as the file says", nil, ContextInfo{Context: "one", Cluster: "c1", User: "u1", Server: "https://one.example:6443"}, "shop", false},
		{"another context", map[string]string{"context": "two"}, ContextInfo{Context: "two", Cluster: "c2", User: "u2", Server: "https://two.example:6443"}, "default", false},
		{"another namespace", map[string]string{"namespace": "lab"}, ContextInfo{Context: "one", Cluster: "c1", User: "u1", Server: "https://one.example:6443"}, "lab", true},
		{"the same namespace, asked for", map[string]string{"namespace": "shop"}, ContextInfo{Context: "one", Cluster: "c1", User: "u1", Server: "https://one.example:6443"}, "shop", true},
		{"another cluster and user", map[string]string{"cluster": "c2", "user": "u2"}, ContextInfo{Context: "one", Cluster: "c2", User: "u2", Server: "https://two.example:6443"}, "shop", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			flags := Flags()
			flags.KubeConfig = &file
			for name, value := range tt.flags {
				switch name {
				case "context":
					flags.Context = &value
				case "namespace":
					flags.Namespace = &value
				case "cluster":
					flags.ClusterName = &value
				case "user":
					flags.AuthInfoName = &value
				}
			}
			c, err := Connect(Options{Getter: flags})
			require.NoError(t, err)
			assert.Equal(t, tt.want, c.Context())
			namespace, explicit := c.Namespace()
			assert.Equal(t, tt.namespace, namespace)
			assert.Equal(t, tt.explicit, explicit)
		})
	}
}

func TestConfigured(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(file, []byte(twoContexts), 0o600))
	empty, local := "", "http://localhost:8080"
	for name, want := range map[string]bool{file: true, os.DevNull: false} {
		flags := Flags()
		flags.KubeConfig = &name
		c, err := Connect(Options{Getter: flags})
		require.NoError(t, err)
		assert.Equal(t, want, c.Configured(), name)
	}
	flags := Flags()
	flags.KubeConfig, flags.APIServer = &empty, &local
	t.Setenv("KUBECONFIG", os.DevNull)
	c, err := Connect(Options{Getter: flags})
	require.NoError(t, err)
	assert.True(t, c.Configured(), "the default, but asked for")
}

func TestConnectWithoutAKubeconfig(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "nope")
	flags := Flags()
	flags.KubeConfig = &missing
	_, err := Connect(Options{Getter: flags})
	require.ErrorContains(t, err, "read the kubeconfig")
	require.ErrorContains(t, err, missing)
}

func TestClusterUID(t *testing.T) {
	namespace := answer(200, `{"kind":"PartialObjectMetadata","metadata":{"name":"kube-system","uid":"u-1"}}`)
	t.Run("is asked for once", func(t *testing.T) {
		server := play(namespace)
		c := connectTo(t, server)
		for range 3 {
			uid, err := c.ClusterUID(t.Context())
			require.NoError(t, err)
			assert.Equal(t, "u-1", uid)
		}
		assert.Equal(t, []string{"/api/v1/namespaces/kube-system"}, uris(server))
		assert.Equal(t, mediaMetadata, server.seen[0].Header.Get("Accept"))
	})
	for name, step := range map[string]http.HandlerFunc{
		"forbidden": refuse(403, metav1.StatusReasonForbidden, "no"),
		"missing":   refuse(404, metav1.StatusReasonNotFound, "not found"),
	} {
		t.Run(name, func(t *testing.T) {
			server := play(step)
			c := connectTo(t, server)
			for range 2 {
				uid, err := c.ClusterUID(t.Context())
				require.NoError(t, err)
				assert.Empty(t, uid)
			}
			assert.Equal(t, 1, server.count())
		})
	}
	t.Run("another failure is not kept", func(t *testing.T) {
		server := play(refuse(400, metav1.StatusReasonBadRequest, "boom"), namespace)
		c := connectTo(t, server)
		_, err := c.ClusterUID(t.Context())
		require.Error(t, err)
		uid, err := c.ClusterUID(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "u-1", uid)
	})
}

func TestServerVersion(t *testing.T) {
	c := connectTo(t, play(answer(200, `{"major":"1","minor":"37","gitVersion":"v1.37.2-gke.100"}`)))
	v, err := c.ServerVersion(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "v1.37.2-gke.100", v.GitVersion)
	_, err = connectTo(t, play(refuse(403, metav1.StatusReasonForbidden, "no"))).ServerVersion(t.Context())
	require.ErrorContains(t, err, "get the version of the server http://127.0.0.1")
}

func TestDiscoveryLooksLikeUs(t *testing.T) {
	s := &groupServer{groups: []servedGroup{coreGroup, appsGroup}}
	agents := map[string]bool{}
	var warned collected
	c := connectTo(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agents[r.Header.Get("User-Agent")] = true
		w.Header().Add("Warning", `299 - "this server is old"`)
		s.ServeHTTP(w, r)
	}), func(o *Options) { o.Warn = warned.add })
	mustMap(t, c, "apps", "Deployment", "v1")
	assert.Equal(t, map[string]bool{"kubectl-tazuna/test": true}, agents)
	assert.Equal(t, []string{"this server is old"}, warned.all())
}
