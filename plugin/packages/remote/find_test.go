package remote

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/controller"
)

const (
	leasePath = "/apis/coordination.k8s.io/v1/leases"
	podPath   = "/api/v1/namespaces/tazuna-system/pods/"
	d8Path    = "/api/v1/namespaces/d8-system/pods"

	lease = `{"apiVersion":"coordination.k8s.io/v1","kind":"LeaseList","items":[{"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
		"metadata":{"name":"packages-controller","namespace":"tazuna-system","labels":{"app.kubernetes.io/instance":"c-1"}},
		"spec":{"holderIdentity":"host_x","renewTime":"2026-03-02T12:00:00.000000Z"}}]}`
	noItems = `{"apiVersion":"v1","kind":"PodList","items":[]}`
)

func podJSON(namespace, name, phase, labels string) string {
	return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"` + name + `","namespace":"` + namespace + `","labels":{` + labels + `}},
		"spec":{"containers":[{"name":"c","args":["packages","controller","--socket=/run/s"]}]},"status":{"phase":"` + phase + `"}}`
}

// finder looks at a server that answers paths with bodies; a body "403" is that status,
// and what isn't there is not found.
func finder(t *testing.T, answers map[string]string) Finder {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		body, found := answers[r.URL.Path]
		switch {
		case !found:
			w.WriteHeader(http.StatusNotFound)
			body = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","message":"not found","details":{"name":"` + path.Base(r.URL.Path) + `"},"code":404}`
		case body == "403":
			w.WriteHeader(http.StatusForbidden)
			body = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"forbidden","code":403}`
		}
		_, err := w.Write([]byte(body))
		assert.NoError(t, err)
	}))
	t.Cleanup(server.Close)
	flags := cluster.Flags()
	flags.APIServer, flags.CacheDir = &server.URL, new(string)
	*flags.CacheDir = t.TempDir()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	client, err := cluster.Connect(cluster.Options{Getter: flags})
	require.NoError(t, err)
	return Finder{Client: client, Socket: func(context.Context) (string, error) { return filepath.Join(t.TempDir(), "s"), nil }}
}

func TestFind(t *testing.T) {
	ours := Controller{Container: Container{Namespace: "tazuna-system", Pod: "c-1", Name: "c"}, Socket: "/run/s"}
	theirs := Platform{Container: Container{Namespace: "d8-system", Pod: "d-2", Name: "deckhouse"}}
	d8 := func(pods ...string) string {
		return `{"apiVersion":"v1","kind":"PodList","items":[` + strings.Join(pods, ",") + `]}`
	}
	follower, leader := podJSON("d8-system", "d-1", "Running", ""), podJSON("d8-system", "d-2", "Running", `"leader":"true"`)
	for name, c := range map[string]struct {
		answers map[string]string
		way     Way
		want    any
		err     string
	}{
		"the Pod that leads":     {answers: map[string]string{leasePath: lease, podPath + "c-1": podJSON("tazuna-system", "c-1", "Running", "")}, want: ours},
		"a Pod by its host name": {answers: map[string]string{leasePath: strings.Replace(lease, "host_x", "c-1_x", 1), podPath + "c-1": podJSON("tazuna-system", "c-1", "Running", "")}, want: ours},
		"a Pod that doesn't run": {
			answers: map[string]string{leasePath: lease, podPath + "c-1": podJSON("tazuna-system", "c-1", "Failed", "")}, way: Exec,
			err: "the Pod tazuna-system/c-1, which leads, does not run (Failed)",
		},
		"a Pod that is gone": {
			answers: map[string]string{leasePath: lease}, way: Exec,
			err: "host_x leads by the Lease tazuna-system/packages-controller and is no Pod of that namespace: it runs outside of the cluster, or is gone (last heard of 2026-03-02T12:00:00Z)",
		},
		"a Pod that may not be read": {
			answers: map[string]string{leasePath: lease, podPath + "c-1": "403"}, way: Exec,
			err: "you may not read the Pod tazuna-system/c-1, which leads: wanted the right to get pods there",
		},
		"a Lease that may not be read": {
			answers: map[string]string{leasePath: "403", "/apis/coordination.k8s.io/v1/namespaces/tazuna-system/leases/packages-controller": "403"}, way: Exec,
			err: "you may not read the Lease tazuna-system/packages-controller: wanted the right to get leases there",
		},
		"Deckhouse":                  {answers: map[string]string{leasePath: noItems, d8Path: d8(follower, leader)}, want: theirs},
		"Deckhouse without a leader": {answers: map[string]string{leasePath: noItems, d8Path: d8(follower)}, err: "of 1 Pods of Deckhouse in the namespace d8-system none that runs leads"},
		"Deckhouse that may not be looked at": {
			answers: map[string]string{leasePath: noItems, d8Path: "403"}, way: Deckhouse,
			err: "you may not list the Pods of d8-system: wanted the right to list pods there",
		},
		"nobody": {
			answers: map[string]string{leasePath: noItems, d8Path: noItems},
			err:     "exec: nobody leads by a Lease tazuna-system/packages-controller; deckhouse: there are no Pods of it in the namespace d8-system",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := finder(t, c.answers).Find(t.Context(), c.way)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestFindInOneNamespace(t *testing.T) {
	f := finder(t, map[string]string{leasePath: lease, d8Path: noItems})
	f.SystemNamespace = "other"
	_, err := f.Find(t.Context(), Exec)
	require.EqualError(t, err, "nobody leads by a Lease other/packages-controller")
}

func TestPodsOf(t *testing.T) {
	for _, c := range []struct {
		leader controller.Leader
		want   []string
	}{
		{controller.Leader{Pod: "c-1", Holder: "c-1_uid"}, []string{"c-1"}},
		{controller.Leader{Pod: "c-1", Holder: "node_uid"}, []string{"c-1", "node"}},
		{controller.Leader{Holder: "node_uid"}, []string{"node"}},
		{controller.Leader{Holder: "odd"}, nil},
	} {
		assert.Equal(t, c.want, podsOf(&c.leader))
	}
}

func TestContainerOf(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "p"}}
	assert.Equal(t, Container{Namespace: "n", Pod: "p"}, containerOf(pod, ""))
	pod.Spec.Containers = []corev1.Container{
		{Name: "proxy", Args: []string{"--socket=/of/proxy"}},
		{Name: "main", Command: []string{"kubectl-tazuna"}, Args: []string{"packages", "controller", "--socket", "/run/s"}},
	}
	assert.Equal(t, "proxy", containerOf(pod, "").Name)
	assert.Equal(t, "main", containerOf(pod, "main").Name)
	pod.Annotations = map[string]string{"kubectl.kubernetes.io/default-container": "main"}
	assert.Equal(t, "main", containerOf(pod, "").Name)
	assert.Equal(t, "/run/s", socketOf(pod, "main"))
	assert.Equal(t, "/of/proxy", socketOf(pod, "proxy"))
	assert.Empty(t, socketOf(pod, "none"))
}
