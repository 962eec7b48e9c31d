package orphans

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// flaky is a real cluster of which one kind can't be listed, or one object can't be
// deleted.
type flaky struct {
	*cluster.Client
	list, object string
}

func (f flaky) List(ctx context.Context, m cluster.Mapping, o cluster.ListOptions) ([]*unstructured.Unstructured, error) {
	if m.GVK.Kind == f.list {
		return nil, errors.New("the API server is away")
	}
	return f.Client.List(ctx, m, o)
}

func (f flaky) Delete(ctx context.Context, m cluster.Mapping, namespace, name string, o cluster.DeleteOptions) error {
	if name == f.object {
		return fmt.Errorf("delete %s %s/%s: a webhook says no", m.GVK.Kind, namespace, name) // as cluster.Client says which object
	}
	return f.Client.Delete(ctx, m, namespace, name, o)
}

type world struct {
	t      *testing.T
	client *cluster.Client
	ns     string
	log    bytes.Buffer
}

func newWorld(t *testing.T) *world {
	t.Helper()
	file := os.Getenv("TAZUNA_TEST_KUBECONFIG")
	if file == "" {
		t.Skip("TAZUNA_TEST_KUBECONFIG names no control plane")
	}
	flags := cluster.Flags()
	cache := t.TempDir()
	flags.KubeConfig, flags.CacheDir = &file, &cache
	client, err := cluster.Connect(cluster.Options{Getter: flags, FieldManager: "test", CacheDir: cache})
	require.NoError(t, err)
	w := &world{t: t, client: client, ns: fmt.Sprintf("orphans-%x", time.Now().UnixNano())}
	w.make("v1", "Namespace", w.ns, nil, nil)
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
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

// make creates an object of the instance shop; more are its other labels and
// annotations.
func (w *world) make(apiVersion, kind, name string, annotations map[string]any, change func(*unstructured.Unstructured)) {
	w.t.Helper()
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{
		"name": name, "labels": map[string]any{"packages.deckhouse.io/instance": "shop"}, "annotations": annotations,
	}}}
	m := w.mapping(apiVersion, kind)
	if m.Namespaced {
		u.SetNamespace(w.ns)
	}
	if kind == "Job" {
		u.Object["spec"] = map[string]any{"template": map[string]any{"spec": map[string]any{
			"restartPolicy": "Never", "containers": []any{map[string]any{"name": "c", "image": "x"}},
		}}}
	}
	if change != nil {
		change(u)
	}
	_, err := w.client.Create(w.t.Context(), m, u.Object, cluster.WriteOptions{})
	require.NoError(w.t, err)
}

// there tells whether an object exists and isn't going.
func (w *world) there(apiVersion, kind, name string) bool {
	w.t.Helper()
	u, err := w.client.Get(w.t.Context(), w.mapping(apiVersion, kind), w.ns, name)
	if apierrors.IsNotFound(err) {
		return false
	}
	require.NoError(w.t, err)
	return u.GetDeletionTimestamp() == nil
}

func (w *world) purge(c Cluster, list any) error {
	p := &Purger{Cluster: c, Log: slog.New(slog.NewTextHandler(&w.log, nil))}
	return p.Purge(w.t.Context(), w.ns, "shop", list)
}

func item(kind, version string) map[string]any {
	return map[string]any{"kind": kind, "version": version}
}

// TestO2AnyGroupServingTheVersion: a version without a group means every group that has
// the kind at it.
func TestO2AnyGroupServingTheVersion(t *testing.T) {
	w := newWorld(t)
	w.make("batch/v1", "Job", "job", nil, nil)
	w.make("v1", "ConfigMap", "config", nil, nil)
	require.NoError(t, w.purge(w.client, []any{item("Job", "v1"), item("ConfigMap", "v1"), item("ConfigMap", "v1"), item("Job", "apps/v1")}))
	assert.False(t, w.there("batch/v1", "Job", "job"))
	assert.False(t, w.there("v1", "ConfigMap", "config"))
}

// judged makes an object of what matters about it.
func judged(label string, going bool, annotations map[string]string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetName("any-name")
	u.SetAnnotations(annotations)
	if label != "" {
		u.SetLabels(map[string]string{"packages.deckhouse.io/instance": label})
	}
	if going {
		now := metav1.Now()
		u.SetDeletionTimestamp(&now)
	}
	return u
}

// TestO3OnlyWhatIsLabelled with the instance and isn't going already.
func TestO3OnlyWhatIsLabelled(t *testing.T) {
	assert.Equal(t, Delete, Judge(judged("shop", false, nil), "shop"))
	assert.Equal(t, Other, Judge(judged("shop2", false, nil), "shop"))
	assert.Equal(t, Other, Judge(judged("", false, nil), "shop"))
	assert.Equal(t, Other, Judge(judged("shop", true, nil), "shop"))
	assert.Equal(t, Kept, Judge(judged("shop", false, map[string]string{"helm.sh/resource-policy": "keep"}), "shop"))
}

// TestO4OnlyHelmsPolicyProtects, whatever Nelm's say.
func TestO4OnlyHelmsPolicyProtects(t *testing.T) {
	for _, werf := range []map[string]string{
		{"werf.io/resource-policy": "keep"}, {"werf.io/resource-policy": "skip-delete"}, {"werf.io/ownership": "anyone"},
	} {
		assert.Equal(t, Delete, Judge(judged("shop", false, werf), "shop"), werf)
		werf["helm.sh/resource-policy"] = "keep"
		assert.Equal(t, Kept, Judge(judged("shop", false, werf), "shop"), werf)
	}
	w := newWorld(t)
	w.make("v1", "ConfigMap", "werf", map[string]any{"werf.io/resource-policy": "keep,skip-delete", "werf.io/ownership": "anyone"}, nil)
	w.make("v1", "ConfigMap", "kept", map[string]any{"helm.sh/resource-policy": "keep", "werf.io/resource-policy": "skip-create"}, nil)
	require.NoError(t, w.purge(w.client, []any{item("ConfigMap", "v1")}))
	assert.False(t, w.there("v1", "ConfigMap", "werf"))
	assert.True(t, w.there("v1", "ConfigMap", "kept"))
}

// TestO5SkippedKinds: of the cluster's scope, and those that are not served.
func TestO5SkippedKinds(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.purge(w.client, []any{item("Namespace", "v1"), item("Widget", "example.com/v1"), item("Job", "apps/v1")}))
	log := w.log.String()
	assert.Contains(t, log, `level=WARN msg="orphan resources: kind skipped, its objects have no namespace"`)
	assert.Contains(t, log, `kind="Namespace (v1 of any group)"`)
	assert.Contains(t, log, `level=WARN msg="orphan resources: kind skipped, the cluster doesn't serve it"`)
	assert.Contains(t, log, `kind="Widget (example.com/v1)"`)
	assert.Contains(t, log, `kind="Job (apps/v1)"`)
}

// TestO6NothingWaitsForFinalizers: the deletion is asked for, and that is all.
func TestO6NothingWaitsForFinalizers(t *testing.T) {
	w := newWorld(t)
	w.make("v1", "ConfigMap", "held", nil, func(u *unstructured.Unstructured) { u.SetFinalizers([]string{"example.com/hold"}) })
	require.NoError(t, w.purge(w.client, []any{item("ConfigMap", "v1")}))
	u, err := w.client.Get(t.Context(), w.mapping("v1", "ConfigMap"), w.ns, "held")
	require.NoError(t, err, "it is there still")
	assert.NotNil(t, u.GetDeletionTimestamp())
	u.SetFinalizers(nil)
	_, err = w.client.Update(t.Context(), w.mapping("v1", "ConfigMap"), u.Object, cluster.WriteOptions{})
	require.NoError(t, err)
}

// TestO12Logged: each deleted and each kept object, with the word orphan.
func TestO12Logged(t *testing.T) {
	w := newWorld(t)
	w.make("batch/v1", "Job", "job", nil, nil)
	w.make("v1", "ConfigMap", "kept", map[string]any{"helm.sh/resource-policy": "keep"}, nil)
	require.NoError(t, w.purge(w.client, []any{item("Job", "v1"), item("ConfigMap", "v1")}))
	assert.Contains(t, w.log.String(), `msg="orphan deleted" application=`+w.ns+`.shop kind=Job group=batch name=job`)
	assert.Contains(t, w.log.String(), `msg="orphan kept: it is annotated helm.sh/resource-policy: keep" application=`+w.ns+`.shop kind=ConfigMap group="" name=kept`)
}

// TestO1ExactGroup: GROUP/VERSION means that group alone.
func TestO1ExactGroup(t *testing.T) {
	w := newWorld(t)
	w.make("batch/v1", "Job", "job", nil, nil)
	require.NoError(t, w.purge(w.client, []any{item("Job", "batch/v1")}))
	assert.False(t, w.there("batch/v1", "Job", "job"))
	require.NoError(t, w.purge(w.client, nil), "nothing listed")
	require.NoError(t, w.purge(w.client, []any{}))
}

// TestO10FailureGoesOnWithTheRest.
func TestO10FailureGoesOnWithTheRest(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"a", "b", "c"} {
		w.make("v1", "ConfigMap", name, nil, nil)
	}
	w.make("v1", "Secret", "s", nil, nil)
	w.make("batch/v1", "Job", "job", nil, nil)
	err := w.purge(flaky{Client: w.client, list: "Secret", object: "b"}, []any{item("Secret", "v1"), item("ConfigMap", "v1"), item("Job", "v1")})
	require.EqualError(t, err, "delete orphan resources: list secrets: the API server is away\ndelete ConfigMap "+w.ns+"/b: a webhook says no")
	assert.False(t, w.there("v1", "ConfigMap", "a"))
	assert.False(t, w.there("v1", "ConfigMap", "c"))
	assert.False(t, w.there("batch/v1", "Job", "job"))
	assert.True(t, w.there("v1", "Secret", "s"))
	require.NoError(t, w.purge(w.client, []any{item("Secret", "v1"), item("ConfigMap", "v1")}), "tried again")
	assert.False(t, w.there("v1", "Secret", "s"))
	assert.False(t, w.there("v1", "ConfigMap", "b"))
}

// TestO11MalformedValue: an error in the log, and nothing is deleted.
func TestO11MalformedValue(t *testing.T) {
	for name, value := range map[string]any{
		"no list":        "Job",
		"no mapping":     []any{"Job"},
		"no version":     []any{map[string]any{"kind": "Job"}},
		"no text":        []any{map[string]any{"kind": "Job", "version": int64(1)}},
		"two slashes":    []any{item("Job", "batch/v1/x")},
		"empty group":    []any{item("Job", "/v1")},
		"one bad of two": []any{item("ConfigMap", "v1"), item("", "v1")},
	} {
		var log bytes.Buffer
		p := &Purger{Log: slog.New(slog.NewTextHandler(&log, nil))} // a cluster would be asked in vain
		require.NoError(t, p.Purge(t.Context(), "demo", "shop", value), name)
		assert.Contains(t, log.String(), "level=ERROR", name)
		assert.Contains(t, log.String(), "orphan resources: the value orphanResources can't be understood", name)
	}
}

func TestServes(t *testing.T) {
	served := []string{"batch/v1/Job", "batch/v1beta1/Job", "v1/ConfigMap", "v1", "batch/v1", "other.example/v1/Job", "v1/JobX"}
	job := func(version string) string {
		k, err := Parse([]any{item("Job", version)})
		require.NoError(t, err)
		return fmt.Sprint(k[0].serves(served))
	}
	assert.Equal(t, "[batch/v1, Kind=Job other.example/v1, Kind=Job]", job("v1"))
	assert.Equal(t, "[batch/v1, Kind=Job]", job("batch/v1"))
	assert.Equal(t, "[batch/v1beta1, Kind=Job]", job("v1beta1"))
	assert.Equal(t, "[]", job("v2"))
	assert.True(t, Kind{Kind: "A", Group: "g", Version: "v1"}.unknown([]string{"g"}))
	assert.True(t, Kind{Kind: "A", Group: "g", Version: "v1"}.unknown([]string{"g/v1"}))
	assert.False(t, Kind{Kind: "A", Version: "v1", AnyGroup: true}.unknown([]string{"g"}), "a broken group holds up nothing")
}
