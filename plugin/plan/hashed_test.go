package plan

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// schemaless knows no schema; nothing else is asked of it.
type schemaless struct{ Reader }

func (schemaless) Schema(context.Context, schema.GroupVersionKind) (*cluster.Schema, error) {
	return nil, nil
}

const hashedLive = `apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  namespace: x
  uid: u
  labels: {ours: "1", applyset.kubernetes.io/part-of: applyset-x-v1, theirs: "2"}
  managedFields:
  - {manager: tazuna, operation: Apply, time: "2026-01-02T00:00:00Z", fieldsV1: {"f:metadata": {"f:labels": {"f:ours": {}, "f:applyset.kubernetes.io/part-of": {}}}, "f:data": {"f:k": {}}}}
  - {manager: early, operation: Update, time: "2026-01-01T00:00:00Z", fieldsV1: {"f:metadata": {"f:labels": {"f:theirs": {}}}}}
  - {manager: kubelet, operation: Update, subresource: status, time: "2026-01-03T00:00:00Z", fieldsV1: {"f:data": {"f:status": {}}}}
data: {k: v, other: w}`

const hashedBuilt = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x, labels: {ours: '1'}}, data: {k: v}}"

func yamlMap(t *testing.T, text string) map[string]any {
	t.Helper()
	out := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &out))
	return out
}

func TestHashed(t *testing.T) {
	h := object.Hasher{Key: make([]byte, 32)}
	changed := parsed(t, hashedLive)
	fields := changed["metadata"].(map[string]any)["managedFields"].([]any)
	fields[0] = yamlMap(t, `{manager: tazuna, operation: Apply, time: "2026-01-02T00:00:00Z", fieldsV1: {"f:metadata": {"f:labels": {"f:ours": {}}}}}`)
	fields = append(fields, yamlMap(t, `{manager: somebody, operation: Update, time: "2026-01-04T00:00:00Z", fieldsV1: {"f:data": {"f:a": {}, "f:b": {}, "f:c": {}, "f:k": {}}}}`))
	changed["metadata"].(map[string]any)["managedFields"] = fields

	for name, c := range map[string]struct {
		live   map[string]any
		built  string
		key    state.Key
		begun  bool
		same   bool
		reason string
	}{
		"as applied": {live: parsed(t, hashedLive), built: hashedBuilt, same: true},
		"other files": {
			live: parsed(t, hashedLive), built: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}, data: {k: w}}",
			reason: "nobody else is known to have written it since 2026-01-02T00:00:00Z",
		},
		"changed by others": {
			live: changed, built: hashedBuilt,
			reason: "written since by somebody, at or before 2026-01-04T00:00:00Z: .data.a, .data.b, .data.c, and 1 more",
		},
		"begun": {live: parsed(t, hashedLive), built: hashedBuilt, begun: true, reason: "its end isn't known"},
		"without managers": {
			live: parsed(t, hashedBuilt), built: hashedBuilt, reason: "nothing of the object says that it was applied by this manager",
		},
		"a Secret, built of texts": {
			live: parsed(t, `{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: x, managedFields: [
  {manager: tazuna, operation: Apply, time: "2026-01-02T00:00:00Z", fieldsV1: {"f:data": {"f:p": {}}}}]}, data: {p: aHVudGVyMjI=}}`),
			built: "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: x}, stringData: {p: hunter22}}", same: true,
		},
		"a namespace that it doesn't have": {
			live: parsed(t, `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r, managedFields: [
  {manager: tazuna, operation: Apply, time: "2026-01-02T00:00:00Z", fieldsV1: {"f:rules": {}}}]}, rules: []}`),
			built: "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r, namespace: x}, rules: []}", same: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			built := object.Object{Body: parsed(t, c.built)}
			hash, err := h.Content(built.Body)
			require.NoError(t, err)
			if c.begun {
				hash = ""
			}
			e := state.Entry{Key: state.KeyOf("m", built), ContentHash: hash}
			judge := Hashed{Reader: schemaless{}, Hasher: h, Manager: "tazuna"}
			same, reason, err := judge.AsApplied(t.Context(), cluster.Mapping{}, &unstructured.Unstructured{Object: c.live}, e)
			require.NoError(t, err)
			assert.Equal(t, c.same, same, reason)
			assert.Contains(t, reason, c.reason)
		})
	}
}
