package plan

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const laterConfig = `
{apiVersion: v1, kind: ConfigMap, metadata: {name: late, namespace: x, annotations: {kapp.k14s.io/change-rule: upsert after upserting demo.example/job}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: early, namespace: x}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: x, annotations: {kapp.k14s.io/change-group: demo.example/job}}, spec: {template: {spec: {containers: [{name: c%s}]}}}}
`

// What the user says beats our own order where that is order alone, and the rest of
// it holds.
func TestOrderGivesWayToChangeRules(t *testing.T) {
	objects := orderInput(t, fmt.Sprintf(laterConfig, ""))
	g, err := Order(objects, nil)
	require.NoError(t, err)
	var got []string
	for _, i := range g.Sequence {
		got = append(got, objects[i].Ref.Name)
	}
	assert.Equal(t, []string{"early", "j", "late"}, got)
	assert.Contains(t, edgesOf(g, objects, "Job j"), "configuration of namespace x")
	assert.Equal(t, []string{"ConfigMap early"}, groupEdges(g, objects, "configuration of namespace x"))
}

// What Pods can't start without is no matter of order: then the rule is a circle.
func TestOrderDoesNotGiveWayToWhatCannotWork(t *testing.T) {
	_, err := Order(orderInput(t, fmt.Sprintf(laterConfig, ", envFrom: [{configMapRef: {name: late}}]")), nil)
	var circle *CycleError
	require.ErrorAs(t, err, &circle)
	assert.Equal(t, []string{
		"ConfigMap x/late", "changes of group demo.example/job", "Job.batch x/j",
	}, circle.Members, "the objects and rules of the circle, and nothing else")
	assert.ErrorContains(t, err, "its Pods need it")
}

// Many objects whose rules contradict each other: some rules give way, all at once.
func contradicting(n int) []*Object {
	objects := manyObjects(n)
	for i, o := range objects {
		meta, _ := o.Desired.Body["metadata"].(map[string]any)
		meta["labels"] = map[string]any{"half": fmt.Sprint(i % 2)}
	}
	return objects
}

const contradiction = `changeGroupBindings:
- {name: all, resourceMatchers: [allMatcher: {}]}
- {name: maps, resourceMatchers: [apiGroupKindMatcher: {apiGroup: "", kind: ConfigMap}]}
changeRuleBindings:
- {rules: [upsert after upserting maps], ignoreIfCyclical: true, resourceMatchers: [allMatcher: {}]}
- {rules: [upsert after upserting all], ignoreIfCyclical: true, resourceMatchers: [allMatcher: {}]}
`

func TestOrderOfContradictingRules(t *testing.T) {
	c := defaultRules(t).With(*ruleSet(t, contradiction))
	g, err := Order(contradicting(3000), &c)
	require.NoError(t, err)
	assert.Len(t, g.Sequence, 3000)
}

// BenchmarkOrderWhole3150 is all of the order of a run: our own considerations and
// kapp's default rules, for a mixed set. Budget: 0.2 s.
func BenchmarkOrderWhole3150(b *testing.B) {
	objects, c := manyObjects(3150), defaultRules(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Order(objects, c); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOrderContradicting3150 is the worst case of optional rules.
func BenchmarkOrderContradicting3150(b *testing.B) {
	objects := contradicting(3150)
	c := defaultRules(b).With(*ruleSet(b, contradiction))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Order(objects, &c); err != nil {
			b.Fatal(err)
		}
	}
}
