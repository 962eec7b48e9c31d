package readiness

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEnough(t *testing.T) {
	const head = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: x, generation: 2}, spec: {replicas: 10}, status: "
	waiting := Verdict{State: Waiting, Reason: "Updated: 3/10"}
	note := func(text string) Verdict { return Verdict{State: Ready, Note: text} }
	tests := map[string]struct {
		status string
		want   Verdict
	}{
		"new ones there":         {"{observedGeneration: 2, replicas: 13, updatedReplicas: 5, availableReplicas: 11}", note("3 of 10 new Pods are available, which is enough for it; its rollout goes on")},
		"more than enough":       {"{observedGeneration: 2, replicas: 10, updatedReplicas: 10, availableReplicas: 9}", note("9 of 10 new Pods are available, which is enough for it; its rollout goes on")},
		"old ones are available": {"{observedGeneration: 2, replicas: 13, updatedReplicas: 3, availableReplicas: 10}", Verdict{State: Waiting, Reason: "Updated: 3/10; 0 of 3 new Pods that are enough"}},
		"old ones may be down":   {"{observedGeneration: 2, replicas: 12, updatedReplicas: 4, availableReplicas: 10}", Verdict{State: Waiting, Reason: "Updated: 3/10; 2 of 3 new Pods that are enough"}},
		"of the last generation": {"{observedGeneration: 1, replicas: 10, updatedReplicas: 10, availableReplicas: 10}", waiting},
		"no status":              {"{}", waiting},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := Enough(live(t, head+test.status+"}"), func(int) int { return 3 }, waiting)
			assert.Equal(t, test.want, got)
		})
	}
}
