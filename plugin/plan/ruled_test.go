package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func TestWhatRulesHideIsSaidWithTheRule(t *testing.T) {
	rules := ruleSet(t, `
rebaseRules:
- {path: [data, left], type: copy, sources: [existing, new], resourceMatchers: [{allMatcher: {}}]}
- {path: [data, gone], type: remove, resourceMatchers: [{allMatcher: {}}]}
- {path: [data, same], type: copy, sources: [existing, new], resourceMatchers: [{allMatcher: {}}]}
diffAgainstLastAppliedFieldExclusionRules:
- {path: [data, judged], resourceMatchers: [{allMatcher: {}}]}
`)
	files := parsed(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {left: mine, gone: mine, same: x, judged: mine, other: mine}}")
	live := parsed(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {left: theirs, same: x, judged: theirs, other: theirs}}")
	e := evidence{
		files: files, desired: files, live: live, byRules: rebase(rules, nil, files, live),
		policy: Policy{Rules: rules}, excluded: excludedPaths(rules, nil, files, nil, live),
	}
	got := map[string]string{}
	for _, d := range e.hiddenByRules() {
		assert.Equal(t, VerdictLeft, d.Verdict)
		got[d.Path] = d.Because
	}
	assert.Contains(t, got[".data.left"], "left to the cluster by ")
	assert.Contains(t, got[".data.left"], "rebaseRules[0]")
	assert.Contains(t, got[".data.gone"], "taken out of what is wanted by ")
	assert.Contains(t, got[".data.gone"], "rebaseRules[1]")
	assert.Contains(t, got[".data.judged"], "diffAgainstLastAppliedFieldExclusionRules[0]")
	assert.Len(t, got, 3, "what is the same on both sides, and what no rule is about, is not hidden")
	assert.Empty(t, e.decidedBy(fieldpath.MakePathOrDie("data", "other")))
}

// The order of elements says nothing about what is in them: an empty value that the
// server drops is not taken for somebody's change because its neighbours moved.
func TestOrderIsNoValue(t *testing.T) {
	list := fieldpath.MakePathOrDie("spec", "env")
	value := fieldpath.MakePathOrDie("spec", "env", fieldpath.KeyByFields("name", "a"), "value")
	assert.False(t, relatedToAny(finding{path: value}, []finding{{path: list, order: true}}))
	assert.False(t, relatedToAny(finding{path: list, order: true}, []finding{{path: value}}))
	assert.True(t, relatedToAny(finding{path: list, order: true}, []finding{{path: list, order: true}}))
	assert.True(t, relatedToAny(finding{path: value}, []finding{{path: list}}))
}

func TestZeroScalarsAreGuesses(t *testing.T) {
	files := map[string]any{"a": "", "b": false, "c": int64(0), "d": "x", "e": true}
	guessed := map[string]bool{}
	for _, f := range compare(files, nil, map[string]any{}, nil, false, nil).findings {
		guessed[f.path.String()] = f.guessed
	}
	require.Equal(t, map[string]bool{".a": true, ".b": true, ".c": true, ".d": false, ".e": false}, guessed)
	for _, f := range compare(files, nil, map[string]any{}, nil, true, nil).findings {
		require.False(t, f.guessed, "custom resources keep what they are given: %s", f.path)
	}
}

func TestOfWhatIsNewTheFilesDecideWhatIsShown(t *testing.T) {
	files := flow(t, "spec: {tasks: {new: {run: x, list: [{a: 1}]}}}")
	result := flow(t, "spec: {tasks: {new: {run: x, mode: default, list: [{a: 1, b: default}]}, added: {by: webhook}}}")
	live := flow(t, "spec: {tasks: {}}")
	before, after := restrict(live, result, files, nil, nil, true)
	require.Equal(t, live, before)
	require.Equal(t, flow(t, "spec: {tasks: {new: {run: x, list: [{a: 1}]}, added: {by: webhook}}}"), after)
}
