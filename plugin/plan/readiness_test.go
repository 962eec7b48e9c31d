package plan

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/readiness"
)

// strategyWith reads the strategy of a ConfigMap with these annotations.
func strategyWith(t *testing.T, annotations string) Strategy {
	t.Helper()
	s, err := strategyOf(parsed(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x, annotations: {"+annotations+"}}}"))
	require.NoError(t, err)
	return s
}

func TestReadiness(t *testing.T) {
	rules := ruleSet(t, `waitRules:
- resourceMatchers: [apiGroupKindMatcher: {apiGroup: example.org, kind: Widget}]
  conditionMatchers:
  - {type: Half, status: "True", unblockChanges: true}
  - {type: Bad, status: "True", failure: true, timeout: 1m}
  - {type: Up, status: "True", success: true}
`).WaitRules
	const widget = "{apiVersion: example.org/v1, kind: Widget, metadata: {name: a, namespace: x%s}, status: %s}"
	own := strategyWith(t, "tazuna.pepabo.com/ready-when: self.status.level > 2, tazuna.pepabo.com/failed-when: self.status.level < 0")
	tests := map[string]struct {
		strategy Strategy
		rules    []config.WaitRule
		live     string
		want     readiness.Verdict
	}{
		"by itself":        {live: "{conditions: [{type: Ready, status: 'True'}]}", want: readiness.Verdict{State: readiness.Ready}},
		"a rule beats it":  {rules: rules, live: "{conditions: [{type: Ready, status: 'True'}]}", want: readiness.Verdict{Reason: "none of the conditions that the rule names is there"}},
		"ready by a rule":  {rules: rules, live: "{conditions: [{type: Up, status: 'True'}]}", want: readiness.Verdict{State: readiness.Ready}},
		"half by a rule":   {rules: rules, live: "{conditions: [{type: Half, status: 'True'}]}", want: readiness.Verdict{Reason: "Half=True", Unblock: true}},
		"failing for now":  {rules: rules, live: "{conditions: [{type: Bad, status: 'True'}]}", want: readiness.Verdict{Reason: "Bad=True", FailsAfter: time.Minute, Condition: "Bad"}},
		"its own beats it": {strategy: own, rules: rules, live: "{level: 3}", want: readiness.Verdict{State: readiness.Ready}},
		"failed by itself": {strategy: own, rules: rules, live: "{level: -1}", want: readiness.Verdict{State: readiness.Failed, Reason: "self.status.level < 0"}},
		"neither":          {strategy: own, rules: rules, live: "{level: 1}", want: readiness.Verdict{Reason: "not yet so: self.status.level > 2"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			live := &unstructured.Unstructured{Object: parsed(t, fmt.Sprintf(widget, "", test.live))}
			assert.Equal(t, test.want, Readiness(test.strategy, test.rules, live))
		})
	}
	dying := &unstructured.Unstructured{Object: parsed(t, fmt.Sprintf(widget, `, deletionTimestamp: "2026-01-01T00:00:00Z"`, "{level: 3}"))}
	assert.Equal(t, readiness.Failed, Readiness(own, rules, dying).State, "whatever anybody says")
	assert.Equal(t, readiness.Waiting, Readiness(own, rules, nil).State)
}

func TestReadinessOfAShareOfADeployment(t *testing.T) {
	s := strategyWith(t, "kapp.k14s.io/apps-v1-deployment-wait-minimum-replicas-available: '30%'")
	live := &unstructured.Unstructured{Object: parsed(t, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: x, generation: 1}, spec: {replicas: 10},
status: {observedGeneration: 1, replicas: 10, updatedReplicas: 10, availableReplicas: 3}}`)}
	assert.Equal(t, readiness.Ready, Readiness(s, nil, live).State)
	assert.Equal(t, readiness.Waiting, Readiness(Strategy{}, nil, live).State)
}

func TestWaitAnnotations(t *testing.T) {
	s := strategyWith(t, "tazuna.pepabo.com/wait-timeout: 1h30m, kapp.k14s.io/disable-wait: ''")
	assert.Equal(t, 90*time.Minute, s.WaitTimeout)
	assert.True(t, s.NoWait)
	for text, want := range map[string]string{
		"tazuna.pepabo.com/wait-timeout: soon":      `wanted a time such as 90s or 1h; found "soon"`,
		"tazuna.pepabo.com/wait-timeout: '-3s'":     "wanted a time",
		"tazuna.pepabo.com/ready-when: self.a =":    "annotation tazuna.pepabo.com/ready-when: not a CEL expression over self",
		"tazuna.pepabo.com/failed-when: 1 + 1":      "found one of type int",
		"tazuna.pepabo.com/ready-when: ''":          "the expression is empty",
		"tazuna.pepabo.com/ready-when: now() > now": "undeclared reference",
	} {
		_, err := strategyOf(parsed(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {"+text+"}}}"))
		assert.ErrorContains(t, err, want, text)
	}
}
