package plan

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// busyCluster has one ConfigMap that somebody else writes so many times while
// it is compared. It plays the API server's part of that alone: 409.
type busyCluster struct {
	live     *unstructured.Unstructured
	moves    int
	gone     bool // after the last of the moves
	attempts int
}

func (b *busyCluster) Mapping(_ context.Context, gk schema.GroupKind, version string) (cluster.Mapping, error) {
	return cluster.Mapping{GVK: gk.WithVersion(version), GVR: schema.GroupVersionResource{Version: version, Resource: "configmaps"}, Namespaced: true}, nil
}

func (b *busyCluster) List(context.Context, cluster.Mapping, cluster.ListOptions) ([]*unstructured.Unstructured, error) {
	return []*unstructured.Unstructured{b.live.DeepCopy()}, nil
}

func (b *busyCluster) Get(context.Context, cluster.Mapping, string, string) (*unstructured.Unstructured, error) {
	if b.gone && b.moves == 0 {
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, "a")
	}
	return b.live.DeepCopy(), nil
}

func (b *busyCluster) Schema(context.Context, schema.GroupVersionKind) (*cluster.Schema, error) {
	return nil, nil
}

func (b *busyCluster) SchemaVersion(context.Context, schema.GroupVersion) (string, error) {
	return "", nil
}

func (b *busyCluster) Apply(_ context.Context, _ cluster.Mapping, sent map[string]any, _ cluster.ApplyOptions) (*unstructured.Unstructured, error) {
	b.attempts++
	if b.moves > 0 {
		b.moves--
		return nil, apierrors.NewConflict(schema.GroupResource{Resource: "configmaps"}, "a", nil)
	}
	return &unstructured.Unstructured{Object: sent}, nil
}

func (b *busyCluster) Patch(context.Context, cluster.Mapping, string, string, types.PatchType, []byte, cluster.WriteOptions) (*unstructured.Unstructured, error) {
	return b.live.DeepCopy(), nil
}

func (b *busyCluster) Create(context.Context, cluster.Mapping, map[string]any, cluster.WriteOptions) (*unstructured.Unstructured, error) {
	return nil, errors.New("not expected")
}

func (b *busyCluster) Update(context.Context, cluster.Mapping, map[string]any, cluster.WriteOptions) (*unstructured.Unstructured, error) {
	return nil, errors.New("not expected")
}

func (b *busyCluster) Rehearses(context.Context, schema.GroupVersionKind) (bool, error) {
	return false, nil
}

func (b *busyCluster) Context() cluster.ContextInfo { return cluster.ContextInfo{} }

// An object that a controller writes between our read and the dry-run is read
// again: a diff must not fail because a cluster is alive.
func TestPlanReadsAnObjectAgainThatMovedMeanwhile(t *testing.T) {
	tests := map[string]struct {
		cluster  busyCluster
		op       Op
		attempts int
		err      string
	}{
		"nobody writes":       {op: OpUpdate, attempts: 1},
		"a controller writes": {cluster: busyCluster{moves: 2}, op: OpUpdate, attempts: 3},
		"somebody deletes it": {cluster: busyCluster{moves: 1, gone: true}, op: OpCreate, attempts: 1},
		"it never comes to rest": {
			cluster: busyCluster{moves: 100}, op: OpError, attempts: rereads + 1,
			err: "a.yaml: document 1, line 1: it was changed while it was compared",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			reader := tt.cluster
			reader.live = &unstructured.Unstructured{Object: parsed(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop, uid: u, resourceVersion: '7'}\ndata: {k: old}")}
			desired := object.Object{
				Body:   parsed(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\ndata: {k: new}"),
				Origin: object.Origin{File: "a.yaml", Document: 1, Line: 1},
			}
			got, err := Planner{Cluster: &reader}.Plan(t.Context(), []Input{{Manifest: "m", Objects: []object.Object{desired}}})
			require.NoError(t, err)
			require.Len(t, got.Objects, 1)
			require.Equal(t, tt.op, got.Objects[0].Op)
			require.Equal(t, tt.attempts, reader.attempts)
			if tt.err != "" {
				require.ErrorContains(t, got.Objects[0].Err, tt.err)
			}
		})
	}
}

// The status of an export is not ours: it can't leave the files.
func TestStatusOfAnExportIsNeverTakenForApplied(t *testing.T) {
	exported := parsed(t, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, uid: u}\nspec: {replicas: 1}\nstatus: {replicas: 1}")
	meant := parsed(t, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {replicas: 1}\nstatus: {replicas: 1}")
	require.NotContains(t, asked(exported), "status")
	require.Contains(t, exported, "status", "the input stays as it is")
	require.Contains(t, asked(meant), "status")
	require.Nil(t, asked(nil))
}

// parsed reads one whole object.
func parsed(t *testing.T, text string) map[string]any {
	t.Helper()
	set, err := object.Load(strings.NewReader(text), "test.yaml")
	require.NoError(t, err)
	require.Len(t, set.Objects, 1)
	return set.Objects[0].Body
}
