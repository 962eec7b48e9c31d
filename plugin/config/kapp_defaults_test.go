package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func defaultConfig(t *testing.T) KappConfig {
	t.Helper()
	c, err := DefaultKappConfig()
	require.NoError(t, err)
	return c
}

func TestDefaultKappConfig(t *testing.T) {
	c := defaultConfig(t)
	require.NotEmpty(t, c.Rules())
	for _, rule := range c.Rules() {
		assert.True(t, rule.At.Default(), rule.At)
		assert.NotEmpty(t, rule.Matchers, rule.At)
	}
	again, err := ParseKappConfig(c.Encode(), defaultsName)
	require.NoError(t, err)
	assert.Equal(t, withoutPlaces(c), withoutPlaces(again), "the printed form is the same configuration")
	same, err := ParseKappConfig([]byte(DefaultKappConfigText()), defaultsName)
	require.NoError(t, err)
	assert.Equal(t, withoutPlaces(c), withoutPlaces(same))
}

// A status is judged by what was asked, never taken out of what is sent or
// created: kapp's move of it to the other list lost statuses (B1, B2).
func TestDefaultsOfStatus(t *testing.T) {
	c := defaultConfig(t)
	assert.Equal(t, keyed("status"), c.LastAppliedExclusions[0].Path)
	assert.Equal(t, []ResourceMatcher{{Type: MatchAll}}, c.LastAppliedExclusions[0].Matchers)
	assert.Empty(t, c.ExistingExclusions)
}

// Labels are never put where they decide something.
func TestDefaultsAlterNoLabels(t *testing.T) {
	c := defaultConfig(t)
	assert.Empty(t, c.OwnershipLabelRules)
	assert.Empty(t, c.LabelScopingRules)
	assert.Empty(t, c.AdditionalLabels)
	assert.Empty(t, c.WaitRules)
	assert.Empty(t, c.PreflightRules)
	for _, rule := range c.RebaseRules {
		assert.Equal(t, RebaseCopy, rule.Type, rule.At)
		for _, path := range rule.Paths {
			assert.Greater(t, len(path)+len(rule.Matchers[0].Matchers), 1, "%s copies %s", rule.At, path)
		}
	}
}

// B28 of the list of kapp's faults: rules that named API versions which don't
// exist, or no longer, never matched.
func TestB28DefaultsNameWhatExists(t *testing.T) {
	groups := map[string]bool{}
	var visit func(m ResourceMatcher)
	visit = func(m ResourceMatcher) {
		for _, inner := range m.Matchers {
			visit(inner)
		}
		switch m.Type {
		case MatchAPIGroupKind:
			groups[m.APIGroup+" "+m.Kind] = true
		case MatchAPIVersionKind:
			assert.Equal(t, "v1", m.APIVersion, "only the core group is named with its version: %+v", m)
		}
	}
	c := defaultConfig(t)
	for _, rule := range c.Rules() {
		for _, m := range rule.Matchers {
			visit(m)
		}
	}
	for _, rule := range c.TemplateRules {
		for _, ref := range rule.References {
			for _, m := range ref.Matchers {
				visit(m)
			}
		}
	}
	for _, want := range []string{
		"storage.k8s.io StorageClass", "policy PodDisruptionBudget", "node.k8s.io RuntimeClass",
		"networking.k8s.io NetworkPolicy", "scheduling.k8s.io PriorityClass", "batch CronJob",
	} {
		assert.True(t, groups[want], want)
	}
}

// Every group that a default rule names is one that a default binding makes.
func TestDefaultRulesNameDefaultGroups(t *testing.T) {
	c := defaultConfig(t)
	made := map[string]bool{}
	for _, b := range c.ChangeGroupBindings {
		made[b.Name] = true
	}
	// Rules name groups by the object's own placeholders.
	made["change-groups.kapp.k14s.io/crds-{api-group}-{kind}"] = made["change-groups.kapp.k14s.io/crds-{crd-group}-{crd-kind}"]
	made["change-groups.kapp.k14s.io/namespaces-{namespace}"] = made["change-groups.kapp.k14s.io/namespaces-{name}"]
	for _, b := range c.ChangeRuleBindings {
		for _, rule := range b.Rules {
			assert.True(t, made[rule.Group], "%s: %s", b.At, rule)
		}
	}
}

func BenchmarkDefaultKappConfig(b *testing.B) {
	for b.Loop() {
		if _, err := DefaultKappConfig(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDigest(b *testing.B) {
	c, err := DefaultKappConfig()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if c.Digest() == "" {
			b.Fatal("no digest")
		}
	}
}
