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
		return errors.New("a webhook says no")
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

// TestO2AnyGroupServingTheVersion, and O3, O4, O5, O6, O12.
func TestO2AnyGroupServingTheVersion(t *testing.T) {
	w := newWorld(t)
	w.make("batch/v1", "Job", "job", nil, nil)
	w.make("v1", "ConfigMap", "any-name", map[string]any{"werf.io/resource-policy": "keep,skip-delete", "werf.io/ownership": "anyone"}, nil)
	w.make("v1", "ConfigMap", "kept", map[string]any{"helm.sh/resource-policy": "keep", "werf.io/resource-policy": "skip-create"}, nil)
	w.make("v1", "ConfigMap", "others", nil, func(u *unstructured.Unstructured) {
		u.SetLabels(map[string]string{"packages.deckhouse.io/instance": "shop2"})
	})
	w.make("v1", "ConfigMap", "unlabelled", nil, func(u *unstructured.Unstructured) { u.SetLabels(nil) })
	w.make("v1", "ConfigMap", "held", nil, func(u *unstructured.Unstructured) { u.SetFinalizers([]string{"example.com/hold"}) })
	w.make("v1", "Secret", "not-listed", nil, nil)
	begin := time.Now()
	require.NoError(t, w.purge(w.client, []any{
		item("Job", "v1"), item("ConfigMap", "v1"), item("ConfigMap", "v1"), item("Namespace", "v1"), item("Widget", "example.com/v1"), item("Job", "apps/v1"),
	}))
	assert.Less(t, time.Since(begin), 20*time.Second, "O6: finalizers are not waited for")
	assert.False(t, w.there("batch/v1", "Job", "job"), "O2: v1 means batch/v1 too")
	assert.False(t, w.there("v1", "ConfigMap", "any-name"), "O4: Nelm's annotations don't protect")
	assert.False(t, w.there("v1", "ConfigMap", "held"))
	for _, name := range []string{"kept", "others", "unlabelled"} {
		assert.True(t, w.there("v1", "ConfigMap", name), "O3, O4: %s", name)
	}
	assert.True(t, w.there("v1", "Secret", "not-listed"))
	log := w.log.String()
	for _, want := range []string{
		`msg="orphan deleted" application=` + w.ns + `.shop kind=Job group=batch name=job`,
		`msg="orphan kept: it is annotated helm.sh/resource-policy: keep"`,
		`level=WARN msg="orphan resources: kind skipped, its objects have no namespace"`,
		`kind="Namespace (v1 of any group)"`,
		`level=WARN msg="orphan resources: kind skipped, the cluster doesn't serve it"`,
		`kind="Widget (example.com/v1)"`, `kind="Job (apps/v1)"`,
	} {
		assert.Contains(t, log, want, "O12")
	}

	u, err := w.client.Get(t.Context(), w.mapping("v1", "ConfigMap"), w.ns, "held")
	require.NoError(t, err)
	u.SetFinalizers(nil)
	_, err = w.client.Update(t.Context(), w.mapping("v1", "ConfigMap"), u.Object, cluster.WriteOptions{})
	require.NoError(t, err)
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
