package plan

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

func TestMaskRulesNeverHideLessThanTheMatcher(t *testing.T) {
	for matcher, want := range map[string][]string{
		"allMatcher: {}":            {"any"},
		"customResourceMatcher: {}": {"any"},
		"hasNamespaceMatcher: {}":   {"any"},
		"apiVersionKindMatcher: {apiVersion: example.org/v1, kind: A}":                                                                                                        {"example.org A"},
		"apiVersionKindMatcher: {apiVersion: v1, kind: Secret}":                                                                                                               {" Secret"},
		"apiGroupKindMatcher: {apiGroup: apps, kind: A}":                                                                                                                      {"apps A"},
		"kindNamespaceNameMatcher: {kind: A, name: a}":                                                                                                                        {"* A"},
		"notMatcher: {matcher: {apiGroupKindMatcher: {kind: A}}}":                                                                                                             {"any"},
		"anyMatcher: {matchers: [{apiGroupKindMatcher: {kind: A}}, {apiGroupKindMatcher: {kind: B}}]}":                                                                        {" A", " B"},
		"anyMatcher: {matchers: [{apiGroupKindMatcher: {kind: A}}, {hasNamespaceMatcher: {}}]}":                                                                               {"any"},
		"andMatcher: {matchers: [{hasNamespaceMatcher: {}}, {apiGroupKindMatcher: {kind: A}}, {apiGroupKindMatcher: {kind: B}}]}":                                             {" A"},
		"andMatcher: {matchers: [{hasNamespaceMatcher: {}}, {customResourceMatcher: {}}]}":                                                                                    {"any"},
		"andMatcher: {matchers: [{anyMatcher: {matchers: [{apiGroupKindMatcher: {kind: A}}, {apiGroupKindMatcher: {kind: B}}]}}, {notMatcher: {matcher: {allMatcher: {}}}}]}": {" A", " B"},
	} {
		c := ruleSet(t, "diffMaskRules: [{path: [spec, users, {allIndexes: true}, {index: 3}, name], resourceMatchers: [{"+matcher+"}]}]\n")
		var got []string
		for _, r := range MaskRules(c) {
			if r.Kind == "" {
				got = append(got, "any")
			} else {
				got = append(got, fmt.Sprintf("%s %s", r.Group, r.Kind))
			}
			assert.Equal(t, []object.Path{{"spec", "users", "*", "3", "name"}}, r.Paths)
			assert.Nil(t, r.Open)
		}
		assert.Equal(t, want, got, matcher)
	}
	assert.Empty(t, MaskRules(nil))
	assert.Empty(t, MaskRulesFor(nil))
}

// In the diff of one object matchers count exactly.
func TestMaskRulesOfOneObject(t *testing.T) {
	c := ruleSet(t, `diffMaskRules:
- path: [spec, token]
  resourceMatchers:
  - andMatcher: {matchers: [{customResourceMatcher: {}}, {notMatcher: {matcher: {hasAnnotationMatcher: {keys: [open]}}}}]}
- path: [spec, list, {allIndexes: true}]
  resourceMatchers:
  - kindNamespaceNameMatcher: {kind: Widget, name: one}
`)
	widget := func(name, annotations, token string) map[string]any {
		return parsed(t, "{apiVersion: example.org/v1, kind: Widget, metadata: {name: "+name+", annotations: "+annotations+"}, spec: {size: 1, token: "+token+", list: [{a: b}]}}")
	}
	masked := func(before, after map[string]any) (string, string) {
		m := object.Masker{Rules: append(object.DefaultRules(), MaskRulesFor(c, before, after)...)}
		b, a := m.Pair(before, after)
		return textAt(b, "spec", "token"), textAt(a, "spec", "token")
	}
	b, a := masked(widget("one", "{}", "secret1"), widget("one", "{}", "secret2"))
	assert.NotEqual(t, b, a)
	assert.NotContains(t, b+a, "secret")

	b, a = masked(widget("two", "{open: ''}", "x1"), widget("two", "{open: ''}", "x2"))
	assert.Equal(t, []string{"x1", "x2"}, []string{b, a}, "no rule matches")

	b, a = masked(widget("two", "{}", "secret1"), widget("two", "{open: ''}", "secret1"))
	assert.Equal(t, b, a)
	assert.NotContains(t, b+a, "secret", "one side that matches hides both")

	require.Len(t, MaskRulesFor(c, nil, widget("one", "{}", "x")), 2, "a new object")
	require.Empty(t, MaskRulesFor(c, nil, nil))
}

// The default rules hide Secrets also through this way.
func TestDefaultMaskRules(t *testing.T) {
	var got []string
	for _, r := range MaskRules(defaultRules(t)) {
		got = append(got, fmt.Sprint(r.Group, " ", r.Kind, " ", r.Paths))
	}
	assert.Equal(t, []string{" Secret [[data]]", " Secret [[stringData]]"}, got)
}
