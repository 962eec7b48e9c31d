package health

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

func body(t *testing.T, text string) map[string]any {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	out, err := object.DecodeJSON(data)
	require.NoError(t, err)
	return out
}

func TestOf(t *testing.T) {
	const d, s = "kind: Deployment\nmetadata: {name: a, generation: 2}\n", "kind: StatefulSet\nmetadata: {name: a, generation: 2}\n"
	for name, test := range map[string]struct {
		text string
		want Verdict
	}{
		"well":          {d + "spec: {replicas: 2}\nstatus: {observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2}", Verdict{}},
		"one replica":   {d + "status: {observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: 1}", Verdict{}},
		"scaled to 0":   {d + "spec: {replicas: 0}\nstatus: {observedGeneration: 2}", Verdict{}},
		"going":         {"kind: Deployment\nmetadata: {name: a, deletionTimestamp: '2026-01-01T00:00:00Z'}", Verdict{Terminating, "it is being deleted"}},
		"deadline":      {d + "status: {observedGeneration: 2, conditions: [{type: Progressing, status: 'False', reason: ProgressDeadlineExceeded, message: timed out}]}", Verdict{Degraded, "ProgressDeadlineExceeded: timed out"}},
		"not seen":      {d + "status: {observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1}", Verdict{Reconciling, "its controller has seen generation 1 of 2"}},
		"paused":        {d + "spec: {paused: true}\nstatus: {observedGeneration: 2}", Verdict{Reconciling, "its rollout is paused"}},
		"rolling":       {d + "spec: {replicas: 3}\nstatus: {observedGeneration: 2, replicas: 3, updatedReplicas: 1, availableReplicas: 3}", Verdict{Reconciling, "1 of 3 replicas are up to date"}},
		"old ones":      {d + "spec: {replicas: 2}\nstatus: {observedGeneration: 2, replicas: 3, updatedReplicas: 2, availableReplicas: 2}", Verdict{Reconciling, "1 old replicas are still there"}},
		"not available": {d + "spec: {replicas: 2}\nstatus: {observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 1}", Verdict{Reconciling, "1 of 2 replicas are available"}},

		"set: well":      {s + "spec: {replicas: 2}\nstatus: {observedGeneration: 2, readyReplicas: 2, updatedReplicas: 2, currentRevision: a, updateRevision: a}", Verdict{}},
		"set: not seen":  {s + "status: {observedGeneration: 1}", Verdict{Reconciling, "its controller has seen generation 1 of 2"}},
		"set: not ready": {s + "spec: {replicas: 2}\nstatus: {observedGeneration: 2, readyReplicas: 1}", Verdict{Reconciling, "1 of 2 replicas are ready"}},
		"set: rolling":   {s + "spec: {replicas: 2}\nstatus: {observedGeneration: 2, readyReplicas: 2, updatedReplicas: 1, currentRevision: a, updateRevision: b}", Verdict{Reconciling, "1 of 2 replicas are up to date"}},
		"set: revision":  {s + "spec: {replicas: 2}\nstatus: {observedGeneration: 2, readyReplicas: 2, updatedReplicas: 2, currentRevision: a, updateRevision: b}", Verdict{Reconciling, "its new revision is not the current one yet"}},
		"set: on delete": {s + "spec: {replicas: 2, updateStrategy: {type: OnDelete}}\nstatus: {observedGeneration: 2, readyReplicas: 2, currentRevision: a, updateRevision: b}", Verdict{}},
		"another kind":   {"kind: ConfigMap\nmetadata: {name: a}", Verdict{}},
	} {
		workload := body(t, test.text)
		assert.Equal(t, test.want, Of(workload), name)
		for _, path := range unread() {
			unstructured.RemoveNestedField(workload, strings.Split(path, ".")...)
		}
		assert.Equal(t, test.want, Of(workload), "%s, of what is kept", name)
	}
}

func TestSum(t *testing.T) {
	assert.Equal(t, status.Unknown(status.Scaled, "NoWorkloads", "no Deployment and no StatefulSet of it is there"), Sum(nil))
	assert.Equal(t, status.True(status.Scaled), Sum(map[string]Verdict{"Deployment a": {}}))
	mixed := map[string]Verdict{
		"Deployment a": {}, "Deployment b": {Degraded, "deadline"}, "StatefulSet c": {Reconciling, "1 of 2"}, "Deployment d": {Degraded, "deadline"},
	}
	assert.Equal(t, status.False(status.Scaled, "Degraded", "Deployment b: deadline; Deployment d: deadline"), Sum(mixed))
	got := Sum(map[string]Verdict{"a": {Reconciling, "x"}, "b": {Reconciling, "x"}, "c": {Reconciling, "x"}, "d": {Reconciling, "x"}, "e": {Reconciling, "x"}, "f": {Reconciling, "x"}, "g": {Reconciling, "x"}})
	assert.Equal(t, "a: x; b: x; c: x; d: x; e: x; and 2 more", got.Message)
	assert.Equal(t, metav1.ConditionFalse, got.Status)
}
