package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kappText completes a document that starts with its rules.
func kappText(rules string) string {
	return "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\n" + rules
}

// withoutPlaces is a copy with every Place empty, so that documents of other lines
// compare equal.
func withoutPlaces(c KappConfig) KappConfig {
	c.digest = nil // functions are never equal
	emptyPlaces(reflect.ValueOf(&c).Elem())
	return c
}

func emptyPlaces(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[Place]() {
			v.SetZero()
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && v.Type() != reflect.TypeFor[regexp.Regexp]() {
				emptyPlaces(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		copied := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(copied, v)
		v.Set(copied)
		for i := range v.Len() {
			emptyPlaces(v.Index(i))
		}
	}
}

// keyed is a path of plain keys.
func keyed(keys ...string) RulePath {
	path := make(RulePath, len(keys))
	for i, key := range keys {
		path[i] = PathPart{Key: key}
	}
	return path
}

func pointer[T any](v T) *T { return &v }

func TestLoadKappConfigReadsEverything(t *testing.T) {
	got, err := LoadKappConfig("testdata/kapp/complete.yaml")
	require.NoError(t, err)
	every := []ResourceMatcher{{Type: MatchAll}}
	assert.Equal(t, KappConfig{
		MinimumRequiredVersion: "0.23.0",
		RebaseRules: []RebaseRule{{
			Paths:    []RulePath{{{Key: "spec"}, {Key: "ports"}, {All: true}, {Key: "nodePort"}}},
			Type:     RebaseCopy,
			Sources:  []RebaseSource{SourceExisting, SourceNew},
			Matchers: []ResourceMatcher{{Type: MatchAPIVersionKind, APIVersion: "v1", Kind: "Service"}},
		}, {
			Paths: []RulePath{
				append(keyed("spec", "template", "spec", "containers"), PathPart{Index: pointer(0)}, PathPart{Key: "image"}),
				append(keyed("metadata", "annotations"), PathPart{Regex: regexp.MustCompile(`^example\.org/`)}),
			},
			Type: RebaseRemove,
			Matchers: []ResourceMatcher{
				{Type: MatchAPIGroupKind, APIGroup: "apps", Kind: "Deployment"},
				{Type: MatchAPIGroupKind, Kind: "Pod"},
			},
		}},
		LastAppliedExclusions: []FieldRule{{Path: keyed("status"), Matchers: every}},
		ExistingExclusions: []FieldRule{{Path: keyed("data", "noise"), Matchers: []ResourceMatcher{
			{Type: MatchKindNamespaceName, Kind: "ConfigMap", Namespace: "default", Name: "a"},
			{Type: MatchKindNamespaceName, Kind: "ClusterThing", Name: "b"},
		}}},
		MaskRules: []FieldRule{{
			Path:     append(keyed("spec", "users"), PathPart{All: true}),
			Matchers: []ResourceMatcher{{Type: MatchCustomResource}},
		}},
		OwnershipLabelRules: []FieldRule{{Path: keyed("metadata", "labels"), Matchers: every}},
		LabelScopingRules: []LabelScopingRule{{IsDefault: true, FieldRule: FieldRule{
			Path: keyed("spec", "selector"),
			Matchers: []ResourceMatcher{{Type: MatchAny, Matchers: []ResourceMatcher{
				{Type: MatchNamespace}, {Type: MatchNamespace, Names: []string{"a", "b"}},
			}}},
		}}},
		TemplateRules: []TemplateRule{{
			Matchers: []ResourceMatcher{{Type: MatchAnnotations, Keys: []string{"example.org/a", "example.org/b"}}},
			References: []ObjectReference{{
				Path: keyed("spec", "secretName"), NameKey: "secretName", Matchers: every,
			}},
		}},
		WaitRules: []WaitRule{{
			ObservedGeneration: true,
			Conditions: []WaitCondition{
				{Type: "Failed", Status: "True", Failure: true, Timeout: 5 * time.Minute},
				{Type: "Progressing", Status: "True", Unblock: true},
				{Type: "Ready", Status: "True", Success: true, ObservedGeneration: true},
			},
			Matchers: []ResourceMatcher{{Type: MatchEach, Matchers: []ResourceMatcher{
				{Type: MatchCustomResource},
				{Type: MatchNot, Matchers: []ResourceMatcher{{Type: MatchEmptyField, Path: keyed("status", "conditions")}}},
			}}},
		}},
		ChangeGroupBindings: []ChangeGroupBinding{{
			Name:     "example.org/databases-{namespace}",
			Matchers: []ResourceMatcher{{Type: MatchAPIGroupKind, APIGroup: "example.org", Kind: "Database"}},
		}},
		ChangeRuleBindings: []ChangeRuleBinding{{
			Rules: []ChangeRule{
				{Group: "example.org/databases-{namespace}"},
				{Deleting: true, Before: true, GroupDeleting: true, Group: "example.org/databases-{namespace}"},
			},
			IgnoreIfCyclical: true, Matchers: every,
		}},
		AdditionalLabels: map[string]string{"department": "marketing", "cost-center": "mar201"},
		PreflightRules: []PreflightRule{{Name: "PermissionValidation"}, {Name: "CRDUpgradeSafety", Config: map[string]any{
			"depth": int64(3), "share": json.Number("0.5"), "names": []any{"a", "on"}, "strict": true, "nothing": nil,
		}}},
	}, withoutPlaces(got))
}

func TestRulesKnowTheirPlace(t *testing.T) {
	got, err := LoadKappConfig("testdata/kapp/complete.yaml")
	require.NoError(t, err)
	var places []string
	for _, rule := range got.Rules() {
		places = append(places, rule.At.String())
		assert.NotEmpty(t, rule.Matchers, rule.At)
		assert.False(t, rule.At.Default())
	}
	const file = "testdata/kapp/complete.yaml:"
	assert.Equal(t, []string{
		file + "9: rebaseRules[0]", file + "14: rebaseRules[1]",
		file + "23: diffAgainstLastAppliedFieldExclusionRules[0]",
		file + "28: diffAgainstExistingFieldExclusionRules[0]",
		file + "34: diffMaskRules[0]",
		file + "39: ownershipLabelRules[0]",
		file + "44: labelScopingRules[0]",
		file + "53: templateRules[0]",
		file + "63: waitRules[0]",
		file + "85: changeGroupBindings[0]",
		file + "90: changeRuleBindings[0]",
	}, places)
	assert.Equal(t, "x", Place{Rule: "x"}.String())
	assert.Equal(t, "f: x", Place{File: "f", Rule: "x"}.String())
}

func TestNotesSayWhatHasNoEffect(t *testing.T) {
	got, err := LoadKappConfig("testdata/kapp/complete.yaml")
	require.NoError(t, err)
	assert.Equal(t, []string{
		"testdata/kapp/complete.yaml:39: ownershipLabelRules[0]: ownershipLabelRules have no effect: labels of Pods and selectors are never altered",
		"testdata/kapp/complete.yaml:44: labelScopingRules[0]: labelScopingRules have no effect: labels of Pods and selectors are never altered",
		"testdata/kapp/complete.yaml:102: preflightRules[0]: preflightRules have no effect: nothing is checked but what the plan asks the server",
	}, got.Notes())
	defaults, err := DefaultKappConfig()
	require.NoError(t, err)
	assert.Empty(t, defaults.Notes())
}

func TestParseKappConfigAccepts(t *testing.T) {
	for name, text := range map[string]string{
		"nothing but what it is": kappText(""),
		"two documents":          kappText("") + "---\n" + kappText("rebaseRules: []\n"),
		"empty lists":            kappText("rebaseRules: []\nwaitRules:\n"),
		"byte order mark, CRLF":  "\uFEFF" + strings.ReplaceAll(kappText("additionalLabels: {a: b}\n"), "\n", "\r\n"),
		"JSON":                   `{"apiVersion":"kapp.k14s.io/v1alpha1","kind":"Config","additionalLabels":{"a":"b"}}`,
		"anchors": kappText("rebaseRules:\n- &r {path: [a], type: remove, resourceMatchers: &m [allMatcher: {}]}\n" +
			"- <<: *r\n  path: [b]\ndiffMaskRules: [{path: [c], resourceMatchers: *m}]\n"),
		"long group name": kappText("changeGroupBindings: [{name: a/" + strings.Repeat("x", 300) + ", resourceMatchers: [allMatcher: {}]}]\n"),
		"oldest version":  kappText("minimumRequiredVersion: 0.1.0\n"),
		"newest version":  kappText("minimumRequiredVersion: " + KappVersion + "\n"),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseKappConfig([]byte(text), "a.yaml")
			require.NoError(t, err)
		})
	}
}

func TestLoadKappConfigOfNoFile(t *testing.T) {
	_, err := LoadKappConfig(filepath.Join(t.TempDir(), "none.yaml"))
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, "read kapp configuration")
}

func TestKappConfigWith(t *testing.T) {
	parse := func(text string) KappConfig {
		c, err := ParseKappConfig([]byte(kappText(text)), "a.yaml")
		require.NoError(t, err)
		return c
	}
	rule := func(path string) string {
		return "{path: [" + path + "], type: remove, resourceMatchers: [allMatcher: {}]}"
	}
	a := parse("minimumRequiredVersion: 0.30.0\nadditionalLabels: {x: a, y: a}\nrebaseRules: [" + rule("a") + "]\n")
	b := parse("minimumRequiredVersion: 0.9.0\nadditionalLabels: {y: b}\nrebaseRules: [" + rule("b") + ", " + rule("c") + "]\n")

	both := a.With(b)
	assert.Equal(t, "0.30.0", both.MinimumRequiredVersion)
	assert.Equal(t, "0.30.0", b.With(a).MinimumRequiredVersion)
	assert.Equal(t, "0.9.0", KappConfig{}.With(b).MinimumRequiredVersion)
	assert.Equal(t, "0.9.0", b.With(KappConfig{}).MinimumRequiredVersion)
	assert.Equal(t, map[string]string{"x": "a", "y": "b"}, both.AdditionalLabels)
	var order []string
	for _, r := range both.RebaseRules {
		order = append(order, r.Paths[0].String())
	}
	assert.Equal(t, []string{"[a]", "[b]", "[c]"}, order, "rules of a, then those of b")
	assert.Equal(t, map[string]string{"x": "a", "y": "a"}, a.AdditionalLabels, "neither side is changed")
	assert.Equal(t, KappConfig{}, withoutPlaces(KappConfig{}.With(KappConfig{})))
	assert.Equal(t, withoutPlaces(b), withoutPlaces(KappConfig{}.With(b)))
}

func TestWaitRuleExpressions(t *testing.T) {
	rule := func(cel string) string {
		return kappText("waitRules:\n- resourceMatchers: [allMatcher: {}]\n  cel: " + cel + "\n")
	}
	c, err := ParseKappConfig([]byte(rule(`{ready: "self.status.phase == 'Up'", failed: has(self.status.error)}`)), "a.yaml")
	require.NoError(t, err)
	assert.Equal(t, "self.status.phase == 'Up'", c.WaitRules[0].Ready.String())
	assert.Equal(t, "has(self.status.error)", c.WaitRules[0].Failed.String())

	again, err := ParseKappConfig(c.Encode(), "a.yaml")
	require.NoError(t, err)
	assert.Equal(t, c.WaitRules[0].Ready.String(), again.WaitRules[0].Ready.String())
	assert.Equal(t, c.Digest(), again.Digest())

	for text, want := range map[string]string{
		"{}":                    "a.yaml:5: waitRules[0].cel.ready: missing",
		"{redy: self.a == 'x'}": `waitRules[0].cel: unknown field "redy"`,
		"{ready: self.a = 'x'}": "a.yaml:5: waitRules[0].cel.ready: not a CEL expression over self",
		"{ready: '1'}":          "wanted an expression that is true or false, found one of type int",
	} {
		_, err := ParseKappConfig([]byte(rule(text)), "a.yaml")
		assert.ErrorContains(t, err, want, text)
	}
}
