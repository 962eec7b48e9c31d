package plan

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// aged serves widgets at v1 only, and has one that was written at v1beta1.
type aged struct{ busyCluster }

func (a *aged) Mapping(_ context.Context, gk schema.GroupKind, version string) (cluster.Mapping, error) {
	if version != "v1" {
		return cluster.Mapping{}, &cluster.ErrNoKind{GroupKind: gk, Version: version, Served: []string{"v1"}}
	}
	return cluster.Mapping{
		GVK: gk.WithVersion("v1"), Namespaced: true,
		GVR: schema.GroupVersionResource{Group: gk.Group, Version: "v1", Resource: "widgets"},
	}, nil
}

const agedWidget = `
apiVersion: demo.example/v1
kind: Widget
metadata:
  name: old
  namespace: shop
  uid: u
  resourceVersion: "7"
  managedFields:
  - {manager: tazuna, operation: Apply, apiVersion: demo.example/v1beta1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:size": {}}}, time: "2026-01-01T00:00:00Z"}
  - {manager: tazuna, operation: Apply, apiVersion: demo.example/v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:other": {}}}, time: "2026-01-02T00:00:00Z"}
  - {manager: operator, operation: Update, apiVersion: demo.example/v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:theirs": {}}}, time: "2026-01-02T00:00:00Z"}
spec: {size: 1, other: 1, theirs: 1}`

// Entries of a version that is gone would make the server refuse every apply:
// they are moved first, and nothing of them is lost.
func TestPlanMovesOwnersOfAnUnservedVersion(t *testing.T) {
	reader := &aged{}
	reader.live = &unstructured.Unstructured{Object: parsed(t, agedWidget)}
	desired := object.Object{Body: parsed(t, "apiVersion: demo.example/v1\nkind: Widget\nmetadata: {name: old, namespace: shop}\nspec: {size: 2, other: 1}")}
	got, err := Planner{Cluster: reader, Policy: ManifestPolicy()}.Plan(t.Context(), []Input{{
		Manifest: "m", Objects: []object.Object{desired}, Record: &state.Record{Manifest: "m"},
	}})
	require.NoError(t, err)
	require.Len(t, got.Objects, 1)
	o := got.Objects[0]
	require.Equal(t, OpUpdate, o.Op, "%v", o.Err)
	require.Zero(t, reader.attempts, "the server would only refuse")
	require.Contains(t, o.Unverified, "demo.example/v1beta1, which is no longer served")

	var patch []struct {
		Path  string
		Value json.RawMessage
	}
	require.NoError(t, json.Unmarshal(o.Adopt, &patch))
	require.Len(t, patch, 2)
	require.Equal(t, "/metadata/managedFields", patch[1].Path)
	require.JSONEq(t, `[
		{"manager": "tazuna", "operation": "Apply", "apiVersion": "demo.example/v1", "fieldsType": "FieldsV1",
		 "time": "2026-01-02T00:00:00Z", "fieldsV1": {"f:spec": {"f:other": {}, "f:size": {}}}},
		{"manager": "operator", "operation": "Update", "apiVersion": "demo.example/v1", "fieldsType": "FieldsV1",
		 "time": "2026-01-02T00:00:00Z", "fieldsV1": {"f:spec": {"f:theirs": {}}}}]`, string(patch[1].Value))
	require.JSONEq(t, `"7"`, string(patch[0].Value))
	require.Contains(t, string(parsedJSON(t, reader.live.Object)), "v1beta1", "the live object stays as it is")
}

func parsedJSON(t *testing.T, body map[string]any) []byte {
	t.Helper()
	data, err := json.Marshal(body)
	require.NoError(t, err)
	return data
}

func TestUntrackedObjectsAreNoted(t *testing.T) {
	owners := managed(t, map[string]string{
		"kubectl-client-side-apply/Update": `{"f:spec":{}}`, "operator/Apply": `{"f:spec":{}}`, "tazuna/Apply": `{"f:spec":{}}`,
	})
	w := &wanted{out: &Object{Manifest: "shop"}, label: "applyset", tracked: true}
	require.Equal(t, []string{"exists and is not tracked yet: it becomes part of manifest shop, with the fields of kubectl-client-side-apply"}, untracked(w, owners))
	require.NotContains(t, strings.Join(untracked(w, managed(t, nil)), ""), "fields of")
	w.recorded = true
	require.Empty(t, untracked(w, owners))
	require.Empty(t, untracked(&wanted{out: &Object{}}, owners), "without a record nothing becomes ours")
}
