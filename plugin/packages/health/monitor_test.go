package health

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/follow"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

func workload(namespace, instance, name string, available int) map[string]any {
	return map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"namespace": namespace, "name": name, "labels": map[string]any{"health.deckhouse.io/package": instance}},
		"status":   map[string]any{"replicas": int64(1), "updatedReplicas": int64(1), "availableReplicas": int64(available)},
	}
}

// TestMonitorTellsChanges: only of what is watched, only what is new.
func TestMonitorTellsChanges(t *testing.T) {
	var told []string
	m := &Monitor{Report: func(name string, c status.Condition) { told = append(told, name+" "+string(c.Status)+" "+c.Reason) }}
	l := &listener{monitor: m, kind: "Deployment"}
	heard := func(want ...string) {
		t.Helper()
		assert.Equal(t, want, told)
		told = nil
	}
	l.Reset([]map[string]any{workload("x", "x.a", "one", 1), workload("x", "x.b", "two", 0), workload("y", "x.a", "foreign", 0)})
	heard()
	m.Watch("x", "a")
	heard("x.a True ")
	m.Watch("x", "a")
	heard()
	l.Set(workload("x", "x.a", "three", 0))
	heard("x.a False Reconciling")
	l.Set(workload("x", "x.b", "two", 1)) // nobody asked
	l.Set(workload("x", "x.a", "three", 1))
	heard("x.a True ")
	l.Set(workload("x", "x.b", "three", 0)) // changed hands
	m.Watch("x", "b")
	heard("x.b False Reconciling")
	l.Remove(object.Ref{Group: "apps", Kind: "Deployment", Namespace: "x", Name: "one"})
	heard("x.a Unknown NoWorkloads")
	m.Forget("x", "a")
	l.Reset(nil)
	heard("x.b Unknown NoWorkloads")
	assert.Empty(t, m.owner)
	assert.Empty(t, m.workloads)
}

// TestMonitorOnACluster: two watches for all, and nothing is left of them.
func TestMonitorOnACluster(t *testing.T) {
	file := os.Getenv("TAZUNA_TEST_KUBECONFIG")
	if file == "" {
		t.Skip("TAZUNA_TEST_KUBECONFIG names no control plane")
	}
	flags := cluster.Flags()
	cache := t.TempDir()
	flags.KubeConfig, flags.CacheDir = &file, &cache
	c, err := cluster.Connect(cluster.Options{Getter: flags, FieldManager: "test", CacheDir: cache})
	require.NoError(t, err)
	ns := fmt.Sprintf("health-%x", time.Now().UnixNano())
	apply := func(body map[string]any) {
		t.Helper()
		gv, err := schema.ParseGroupVersion(body["apiVersion"].(string))
		require.NoError(t, err)
		m, err := c.Mapping(t.Context(), schema.GroupKind{Group: gv.Group, Kind: body["kind"].(string)}, "")
		require.NoError(t, err)
		_, err = c.Apply(t.Context(), m, body, cluster.ApplyOptions{Force: true})
		require.NoError(t, err)
	}
	apply(map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": ns}})
	defer func() {
		ctx := context.WithoutCancel(t.Context())
		m, _ := c.Mapping(ctx, schema.GroupKind{Kind: "Namespace"}, "")
		_ = c.Delete(ctx, m, "", ns, cluster.DeleteOptions{})
	}()
	d := workload(ns, ns+".shop", "d8a-shop-web", 0)
	delete(d, "status")
	labels := map[string]any{"app": "web"}
	d["spec"] = map[string]any{"selector": map[string]any{"matchLabels": labels}, "template": map[string]any{
		"metadata": map[string]any{"labels": labels}, "spec": map[string]any{"containers": []any{map[string]any{"name": "c", "image": "web"}}},
	}}

	before := runtime.NumGoroutine()
	var mu sync.Mutex
	var last status.Condition
	pool := &follow.Pool{Client: c}
	m := &Monitor{Pool: pool, Report: func(_ string, c status.Condition) { mu.Lock(); defer mu.Unlock(); last = c }}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, m.Start(ctx))
	m.Watch(ns, "shop")
	is := func(want metav1.ConditionStatus) {
		t.Helper()
		require.Eventually(t, func() bool { mu.Lock(); defer mu.Unlock(); return last.Status == want }, time.Minute, 20*time.Millisecond, "%+v", &last)
	}
	is(metav1.ConditionUnknown)
	apply(d)
	is(metav1.ConditionTrue)
	assert.Equal(t, 2, pool.Watches())
	d["spec"].(map[string]any)["paused"] = true
	apply(d)
	is(metav1.ConditionFalse)
	m.Stop()
	assert.Zero(t, pool.Watches())
	assert.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+2 }, 20*time.Second, 50*time.Millisecond, "nothing is left running")
}
