package release

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v4/pkg/release/common"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// The live tests need a real control plane with controllers and nodes, see
// test/controlplane; TAZUNA_TEST_KUBECONFIG names one. Each has a namespace of its own.

// world is one test's corner of the cluster.
type world struct {
	t       *testing.T
	client  *cluster.Client
	service *Service
	ns      string

	mu      sync.Mutex
	reports []api.Tracking
}

func newWorld(t *testing.T) *world {
	t.Helper()
	file := os.Getenv("TAZUNA_TEST_KUBECONFIG")
	if file == "" {
		t.Skip("TAZUNA_TEST_KUBECONFIG names no control plane")
	}
	t.Parallel()
	flags := cluster.Flags()
	cache := t.TempDir()
	flags.KubeConfig, flags.CacheDir = &file, &cache
	client, err := cluster.Connect(cluster.Options{Getter: flags, FieldManager: fieldManager, CacheDir: cache})
	require.NoError(t, err)
	w := &world{t: t, client: client, ns: fmt.Sprintf("rel-%x", rand.Uint32())}
	w.service = &Service{Cluster: client, Limit: 2 * time.Minute, ProgressEvery: time.Millisecond}
	w.make(fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", w.ns), "test")
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = client.Delete(ctx, w.mapping("v1", "Namespace"), "", w.ns, cluster.DeleteOptions{})
	})
	return w
}

func (w *world) mapping(apiVersion, kind string) cluster.Mapping {
	gv, err := schema.ParseGroupVersion(apiVersion)
	require.NoError(w.t, err)
	m, err := w.client.Mapping(context.WithoutCancel(w.t.Context()), schema.GroupKind{Group: gv.Group, Kind: kind}, gv.Version)
	require.NoError(w.t, err)
	return m
}

// make creates objects behind the release's back.
func (w *world) make(text, manager string) {
	w.t.Helper()
	for _, o := range load(w.t, text) {
		m := w.mapping(o.GVK().GroupVersion().String(), o.GVK().Kind)
		u := o.Unstructured()
		if m.Namespaced {
			u.SetNamespace(w.ns)
		}
		_, err := w.client.Apply(w.t.Context(), m, u.Object, cluster.ApplyOptions{Manager: manager, Force: true})
		require.NoError(w.t, err)
	}
}

// get reads an object; nil if there is none.
func (w *world) get(apiVersion, kind, name string) *unstructured.Unstructured {
	w.t.Helper()
	u, err := w.client.Get(w.t.Context(), w.mapping(apiVersion, kind), w.ns, name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(w.t, err)
	return u
}

func (w *world) delete(apiVersion, kind, name string) {
	w.t.Helper()
	require.NoError(w.t, w.client.Delete(w.t.Context(), w.mapping(apiVersion, kind), w.ns, name, cluster.DeleteOptions{}))
	require.Eventually(w.t, func() bool { return w.get(apiVersion, kind, name) == nil }, 30*time.Second, 50*time.Millisecond)
}

func load(t *testing.T, text string) []object.Object {
	t.Helper()
	set, err := object.Load(strings.NewReader(text), "templates/test.yaml")
	require.NoError(t, err)
	return set.Objects
}

// request makes a request of what a chart would render: documents with helm.sh/hook are
// hooks.
func (w *world) request(text string) Request {
	r := Request{Namespace: w.ns, Instance: "shop", Package: "store", Version: "v1.0.0"}
	r.Progress = func(t api.Tracking) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.reports = append(w.reports, t)
	}
	for _, o := range load(w.t, text) {
		events := o.Annotation(chart.HookAnnotation)
		if events == "" {
			r.Objects = append(r.Objects, o)
			continue
		}
		h := chart.Hook{Object: o, DeletePolicies: []chart.DeletePolicy{chart.BeforeCreation}}
		_, _ = fmt.Sscan(o.Annotation(chart.HookWeightAnnotation), &h.Weight)
		for _, e := range strings.Split(events, ",") {
			h.Events = append(h.Events, chart.Event(e))
		}
		if p := o.Annotation(chart.DeletePolicyAnnotation); p != "" {
			h.DeletePolicies = nil
			for _, one := range strings.Split(p, ",") {
				h.DeletePolicies = append(h.DeletePolicies, chart.DeletePolicy(one))
			}
		}
		r.Hooks = append(r.Hooks, h)
	}
	return r
}

func (w *world) upgrade(text string) Outcome {
	w.t.Helper()
	out, err := w.service.Upgrade(w.t.Context(), w.request(text))
	require.NoError(w.t, err)
	return out
}

func (w *world) uninstall() {
	w.t.Helper()
	require.NoError(w.t, w.service.Uninstall(w.t.Context(), w.ns, "shop", nil))
}

func (w *world) history() []*Revision {
	w.t.Helper()
	h, err := w.service.store().history(w.t.Context(), w.ns, w.ns+".shop")
	require.NoError(w.t, err)
	return h
}

// standing words a history: "1 superseded, 2 deployed".
func standing(history []*Revision) string {
	var out []string
	for _, r := range history {
		out = append(out, fmt.Sprintf("%d %s", r.Number, r.Status))
	}
	return strings.Join(out, ", ")
}

// helm runs the real helm, if there is one.
func (w *world) helm(args ...string) string {
	w.t.Helper()
	bin := os.Getenv("TAZUNA_TEST_BIN")
	if bin == "" {
		bin = "../../../bin"
	}
	program, err := filepath.Abs(filepath.Join(bin, "helm"))
	require.NoError(w.t, err)
	if _, err := os.Stat(program); err != nil {
		w.t.Skip("there is no helm in TAZUNA_TEST_BIN")
	}
	cmd := exec.CommandContext(w.t.Context(), program, append(args, "-n", w.ns)...)
	home := w.t.TempDir()
	cmd.Env = append(os.Environ(), "KUBECONFIG="+os.Getenv("TAZUNA_TEST_KUBECONFIG"), "HOME="+home)
	out, err := cmd.CombinedOutput()
	require.NoError(w.t, err, "helm %v: %s", args, out)
	return string(out)
}

const config = `---
{apiVersion: v1, kind: ConfigMap, metadata: {name: d8a-shop-config, labels: {packages.deckhouse.io/instance: shop}}, data: {a: "1"}}
`

func deployment(name, annotations string) string {
	return `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ` + name + `, labels: {packages.deckhouse.io/instance: shop}, annotations: {` + annotations + `}}
spec:
  replicas: 1
  selector: {matchLabels: {app: ` + name + `}}
  template: {metadata: {labels: {app: ` + name + `}}, spec: {containers: [{name: c, image: web}]}}
`
}

// TestHelmReadsReleases: records that the real helm understands.
func TestHelmReadsReleases(t *testing.T) {
	w := newWorld(t)
	out := w.upgrade(config + deployment("d8a-shop-web", ""))
	assert.True(t, out.Upgraded)
	assert.Equal(t, "it is not installed yet", out.Why)
	w.upgrade(strings.Replace(config, `"1"`, `"2"`, 1) + deployment("d8a-shop-web", ""))
	name := w.ns + ".shop"
	list := w.helm("list")
	assert.Contains(t, list, name)
	assert.Contains(t, list, "store-v1.0.0")
	assert.Contains(t, list, "deployed")
	got := w.helm("history", name)
	assert.Contains(t, got, "superseded")
	assert.Contains(t, got, "Upgrade complete")
	manifest := w.helm("get", "manifest", name)
	assert.Contains(t, manifest, "name: d8a-shop-config")
	assert.Contains(t, manifest, `a: "2"`)
	assert.Contains(t, w.helm("get", "manifest", name, "--revision", "1"), `a: "1"`)
	assert.Contains(t, w.helm("status", name), "STATUS: deployed")

	found, err := w.service.Installed(t.Context())
	require.NoError(t, err)
	assert.Contains(t, found, Found{Namespace: w.ns, Name: name, Instance: "shop", Revision: 2, Status: common.StatusDeployed})
	w.uninstall()
	assert.Nil(t, w.get("v1", "ConfigMap", "d8a-shop-config"))
	assert.Nil(t, w.get("apps/v1", "Deployment", "d8a-shop-web"))
	assert.Empty(t, w.history())
	w.uninstall() // once more is fine
	assert.NotContains(t, w.helm("list"), name)
}

// TestP6UpgradeOnlyIfNeeded: first install, not deployed, changed or missing; nothing
// else, and drifted content is left alone until then.
func TestP6UpgradeOnlyIfNeeded(t *testing.T) {
	w := newWorld(t)
	w.upgrade(config)
	out := w.upgrade(config)
	assert.False(t, out.Upgraded)
	assert.Equal(t, "it is up to date", out.Why)
	assert.Equal(t, "1 deployed", standing(w.history()), "complaint 69: no revision")

	w.make(strings.Replace(config, `"1"`, `"by hand"`, 1), "kubectl-edit")
	assert.False(t, w.upgrade(config).Upgraded, "contents are not looked at")
	value, _, _ := unstructured.NestedString(w.get("v1", "ConfigMap", "d8a-shop-config").Object, "data", "a")
	assert.Equal(t, "by hand", value)

	w.delete("v1", "ConfigMap", "d8a-shop-config")
	out = w.upgrade(config)
	assert.True(t, out.Upgraded)
	assert.Contains(t, out.Why, "missing in the cluster: ConfigMap "+w.ns+"/d8a-shop-config")
	assert.Equal(t, "1 superseded, 2 deployed", standing(w.history()))

	w.make(strings.Replace(config, `"1"`, `"by hand"`, 1), "kubectl-edit")
	w.upgrade(config + deployment("d8a-shop-web", ""))
	value, _, _ = unstructured.NestedString(w.get("v1", "ConfigMap", "d8a-shop-config").Object, "data", "a")
	assert.Equal(t, "1", value, "an upgrade that is due makes everything as it should be")

	require.NoError(t, w.service.store().mark(t.Context(), latest(w.history()), common.StatusFailed, "x"))
	out = w.upgrade(config + deployment("d8a-shop-web", ""))
	assert.Equal(t, "its last revision, 3, is failed", out.Why)
	assert.True(t, out.Deployed)
}

func clusterWrite() cluster.WriteOptions { return cluster.WriteOptions{} }
