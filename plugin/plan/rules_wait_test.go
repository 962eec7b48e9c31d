package plan

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestJudgeWait(t *testing.T) {
	rules := func(text string) string {
		return "waitRules:\n- resourceMatchers: [apiVersionKindMatcher: {apiVersion: example.org/v1, kind: Widget}]\n" + text
	}
	readiness := rules(`  conditionMatchers:
  - {type: Ready, status: "True", success: true}
  - {type: Failed, status: "True", failure: true}
  - {type: Progressing, status: "True", unblockChanges: true}
`)
	patient := rules(`  conditionMatchers:
  - {type: Ready, status: "False", failure: true, timeout: 5m}
  - {type: Degraded, status: "True", failure: true, timeout: 1m}
  - {type: Ready, status: "True", success: true}
`)
	observed := rules(`  supportsObservedGeneration: true
  conditionMatchers: [{type: Ready, status: "True", success: true}]
`)
	perCondition := rules(`  conditionMatchers:
  - {type: Ready, status: "True", success: true, supportsObservedGeneration: true}
  - {type: Failed, status: "True", failure: true}
`)
	expressions := rules(`  cel: {ready: "self.status.phase == 'Up'", failed: "self.status.phase in ['Lost', 'Broken']"}
`)
	both := rules(`  cel: {ready: "self.status.phase == 'Up'"}
  conditionMatchers: [{type: Failed, status: "True", failure: true}, {type: Half, status: "True", unblockChanges: true}]
`)
	tests := map[string]struct {
		rules, status string
		want          WaitVerdict
	}{
		"nothing yet":          {readiness, "{}", WaitVerdict{Reason: "none of the conditions that the rule names is there"}},
		"other conditions":     {readiness, "{conditions: [{type: Ready, status: 'False'}, {type: X, status: 'True'}]}", WaitVerdict{Reason: "none of the conditions that the rule names is there"}},
		"ready":                {readiness, "{conditions: [{type: Ready, status: 'True', reason: Done, message: all fine}]}", WaitVerdict{Done: true, Reason: "Ready=True: Done: all fine"}},
		"failed":               {readiness, "{conditions: [{type: Failed, status: 'True', reason: Broken}]}", WaitVerdict{Failed: true, Reason: "Failed=True: Broken"}},
		"failed wins":          {readiness, "{conditions: [{type: Ready, status: 'True'}, {type: Failed, status: 'True'}]}", WaitVerdict{Failed: true, Reason: "Failed=True"}},
		"dependants may start": {readiness, "{conditions: [{type: Progressing, status: 'True', message: half}]}", WaitVerdict{Unblock: true, Reason: "Progressing=True: half"}},
		"ready and unblocked":  {readiness, "{conditions: [{type: Progressing, status: 'True'}, {type: Ready, status: 'True'}]}", WaitVerdict{Done: true, Reason: "Ready=True"}},
		"odd conditions":       {readiness, "{conditions: [text, {}, {type: 1}]}", WaitVerdict{Reason: "none of the conditions that the rule names is there"}},
		"conditions of text":   {readiness, "{conditions: x}", WaitVerdict{Reason: "none of the conditions that the rule names is there"}},

		"failing, not for long yet": {patient, "{conditions: [{type: Ready, status: 'False', reason: Wait}]}", WaitVerdict{FailsAfter: 5 * time.Minute, Condition: "Ready", Reason: "Ready=False: Wait"}},
		"the shorter time counts":   {patient, "{conditions: [{type: Ready, status: 'False'}, {type: Degraded, status: 'True'}]}", WaitVerdict{FailsAfter: time.Minute, Condition: "Degraded", Reason: "Degraded=True"}},
		"ready though degraded":     {patient, "{conditions: [{type: Ready, status: 'True'}, {type: Degraded, status: 'True'}]}", WaitVerdict{Done: true, Reason: "Ready=True"}},

		"not observed":            {observed, "{observedGeneration: 2, conditions: [{type: Ready, status: 'True'}]}", WaitVerdict{Reason: "generation 3 is not observed yet"}},
		"never observed":          {observed, "{conditions: [{type: Ready, status: 'True'}]}", WaitVerdict{Reason: "generation 3 is not observed yet"}},
		"observed":                {observed, "{observedGeneration: 3, conditions: [{type: Ready, status: 'True'}]}", WaitVerdict{Done: true, Reason: "Ready=True"}},
		"condition of before":     {perCondition, "{conditions: [{type: Ready, status: 'True', observedGeneration: 2}]}", WaitVerdict{Reason: "no condition speaks of generation 3 yet"}},
		"condition of now":        {perCondition, "{conditions: [{type: Ready, status: 'True', observedGeneration: 3}]}", WaitVerdict{Done: true, Reason: "Ready=True"}},
		"expression holds":        {expressions, "{phase: Up}", WaitVerdict{Done: true, Reason: "self.status.phase == 'Up'"}},
		"expression fails":        {expressions, "{phase: Lost}", WaitVerdict{Failed: true, Reason: "self.status.phase in ['Lost', 'Broken']"}},
		"expression does neither": {expressions, "{phase: Starting}", WaitVerdict{Reason: "not yet so: self.status.phase == 'Up'"}},
		"expression can't tell":   {expressions, "{}", WaitVerdict{Reason: "it can't be told yet whether self.status.phase == 'Up': no such key: phase"}},
		"a condition wins":        {both, "{phase: Up, conditions: [{type: Failed, status: 'True'}]}", WaitVerdict{Failed: true, Reason: "Failed=True"}},
		"the expression decides":  {both, "{phase: Up, conditions: [{type: Half, status: 'False'}]}", WaitVerdict{Done: true, Reason: "self.status.phase == 'Up'"}},
		"half, and not ready":     {both, "{phase: Down, conditions: [{type: Half, status: 'True'}]}", WaitVerdict{Unblock: true, Reason: "Half=True"}},

		"failure, any time": {perCondition, "{conditions: [{type: Failed, status: 'True', observedGeneration: 1}]}", WaitVerdict{Failed: true, Reason: "Failed=True"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			live := parsed(t, "{apiVersion: example.org/v1, kind: Widget, metadata: {name: x, generation: 3}, status: "+test.status+"}")
			got, ok := JudgeWait(ruleSet(t, test.rules).WaitRules, live)
			assert.True(t, ok)
			assert.Equal(t, "rules.yaml:4: waitRules[0]", got.By.String())
			got.By = test.want.By
			assert.Equal(t, test.want, got)
		})
	}
}

func TestJudgeWaitTakesTheFirstRuleThatMatches(t *testing.T) {
	c := ruleSet(t, `waitRules:
- {resourceMatchers: [kindNamespaceNameMatcher: {kind: Widget, name: other}], conditionMatchers: [{type: A, status: "True", success: true}]}
- {resourceMatchers: [apiGroupKindMatcher: {apiGroup: example.org, kind: Widget}], conditionMatchers: [{type: B, status: "True", success: true}]}
- {resourceMatchers: [allMatcher: {}], conditionMatchers: [{type: C, status: "True", success: true}]}
`)
	live := parsed(t, "{apiVersion: example.org/v1, kind: Widget, metadata: {name: x}, status: {conditions: [{type: B, status: 'True'}, {type: C, status: 'True'}]}}")
	got, ok := JudgeWait(c.WaitRules, live)
	assert.True(t, ok)
	assert.Equal(t, "B=True", got.Reason)
	assert.Equal(t, "waitRules[1]", got.By.Rule)

	_, ok = JudgeWait(c.WaitRules[:2], parsed(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: x}}"))
	assert.False(t, ok)
	_, ok = JudgeWait(c.WaitRules, nil)
	assert.False(t, ok)
	_, ok = JudgeWait(nil, live)
	assert.False(t, ok)
}
