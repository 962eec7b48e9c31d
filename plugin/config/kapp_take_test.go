package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// origins are the objects of a stream with the place that the loader gives them.
func origins(t *testing.T, data []byte) []string {
	t.Helper()
	set, err := object.Load(strings.NewReader(string(data)), "a.yaml")
	require.NoError(t, err)
	var out []string
	for _, o := range set.Objects {
		out = append(out, o.Name()+" "+o.Origin.String())
	}
	return out
}

// What is left has the places that it would have beside an ordinary object.
func TestTakeKappConfig(t *testing.T) {
	cm := func(name string) string { return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\n" }
	const config, ordinary = "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\nadditionalLabels: {a: b}", "apiVersion: v1\nkind: Conf\nmetadata: {name: conf}"
	tests := map[string]struct {
		text string // CONFIG stands for the document
		want int    // objects left
	}{
		"alone":               {"CONFIG\n", 0},
		"first":               {"CONFIG\n---\n" + cm("x"), 1},
		"first, marked":       {"---\nCONFIG\n---\n" + cm("x"), 1},
		"between":             {cm("x") + "---\nCONFIG\n---\n" + cm("z"), 2},
		"last, no line end":   {cm("x") + "---\nCONFIG", 1},
		"several":             {"CONFIG\n---\n" + cm("x") + "---\nCONFIG\n---\n" + cm("z"), 2},
		"after comments":      {"# hello\n\nCONFIG\n---\n" + cm("x"), 1},
		"comments all around": {"# a\n---\n# b\nCONFIG\n# c\n\n---\n# d\n" + cm("x"), 1},
		"ended by dots":       {"CONFIG\n...\n" + cm("x"), 1},
		"dots and marker":     {"CONFIG\n...\n---\n" + cm("x") + "...\n", 1},
		"directive":           {"%YAML 1.1\n---\nCONFIG\n---\n" + cm("x"), 1},
		"byte order mark":     {"\uFEFFCONFIG\n---\n" + cm("x"), 1},
		"CRLF":                {strings.ReplaceAll("CONFIG\n---\n"+cm("x"), "\n", "\r\n"), 1},
		"comment on marker":   {cm("x") + "--- # rules\nCONFIG\n", 1},
		"empty documents":     {"---\n---\nCONFIG\n---\n---\n" + cm("x"), 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			text := strings.ReplaceAll(test.text, "CONFIG", config)
			c, rest, err := TakeKappConfig([]byte(text), "a.yaml")
			require.NoError(t, err)
			assert.Equal(t, map[string]string{"a": "b"}, c.AdditionalLabels)
			want := slices.DeleteFunc(
				origins(t, []byte(strings.ReplaceAll(test.text, "CONFIG", ordinary))),
				func(o string) bool { return strings.HasPrefix(o, "conf ") },
			)
			assert.Len(t, want, test.want)
			assert.ElementsMatch(t, want, origins(t, rest))
			assert.Equal(t, strings.Count(text, "\n"), strings.Count(string(rest), "\n"))
		})
	}
}

func TestTakeKappConfigFromJSON(t *testing.T) {
	text := "# x\n---\n" + `{"apiVersion": "kapp.k14s.io/v1alpha1", "kind": "Config", "additionalLabels": {"a": "b"}}` + "\n"
	c, rest, err := TakeKappConfig([]byte(text), "a.yaml")
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"a": "b"}, c.AdditionalLabels)
	assert.Empty(t, origins(t, rest))
}

func TestTakeKappConfigKnowsLines(t *testing.T) {
	text := "apiVersion: v1\nkind: A\n---\n" + kappText("rebaseRules:\n- {path: [a], type: remove, resourceMatchers: [allMatcher: {}]}\n")
	c, _, err := TakeKappConfig([]byte(text), "a.yaml")
	require.NoError(t, err)
	assert.Equal(t, "a.yaml:7: rebaseRules[0]", c.RebaseRules[0].At.String())
}

func TestTakeKappConfigLeavesTheRest(t *testing.T) {
	for name, text := range map[string]string{
		"nothing of kapp":   "apiVersion: v1\nkind: ConfigMap\n",
		"annotations":       "apiVersion: v1\nkind: A\nmetadata: {name: x, annotations: {kapp.k14s.io/versioned: \"\"}}\n",
		"mentioned":         "apiVersion: v1\nkind: A\ndata: {a: kapp.k14s.io/v1alpha1}\n",
		"inside a text":     "apiVersion: v1\nkind: A\ndata:\n  config.yml: |\n    apiVersion: kapp.k14s.io/v1alpha1\n    kind: Config\n",
		"of kapp's friends": "apiVersion: kappctrl.k14s.io/v1alpha1\nkind: App\n",
		"no YAML":           "apiVersion: kapp.k14s.io/v1alpha1\nkind: [\n",
		"empty":             "",
		"a list":            "- kapp.k14s.io/v1alpha1\n",
	} {
		t.Run(name, func(t *testing.T) {
			c, rest, err := TakeKappConfig([]byte(text), "a.yaml")
			require.NoError(t, err)
			assert.Equal(t, KappConfig{}, c)
			assert.Equal(t, text, string(rest))
		})
	}
}

func TestTakeKappConfigFaultsKeepTheirLines(t *testing.T) {
	text := "apiVersion: v1\nkind: A\n---\n" + kappText("rebaseRulez: []\n") + "---\n" + kappText("waitRules: x\n") +
		"---\napiVersion: kapp.k14s.io/v2\nkind: Config\n"
	_, _, err := TakeKappConfig([]byte(text), "dir/a.yaml")
	require.EqualError(t, err, `dir/a.yaml:6: unknown field "rebaseRulez"; did you mean "rebaseRules"?
dir/a.yaml:10: waitRules: wanted a list, found text
dir/a.yaml:12: apiVersion: wanted kapp.k14s.io/v1alpha1, found "kapp.k14s.io/v2"`)
}

// loaded are the objects of a stream.
func loaded(t *testing.T, text string) []object.Object {
	t.Helper()
	set, err := object.Load(strings.NewReader(text), "a.yaml")
	require.NoError(t, err)
	return set.Objects
}

func TestExtractKappConfig(t *testing.T) {
	objects := loaded(t, `apiVersion: v1
kind: ConfigMap
metadata: {name: plain}
---
apiVersion: kapp.k14s.io/v1alpha1
kind: Config
metadata: {name: rules}
additionalLabels: {a: one, b: one}
diffMaskRules:
- path: [spec, "on", {allIndexes: true}, {index: 2}]
  resourceMatchers:
  - allMatcher: {}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: carrier
  labels: {kapp.k14s.io/config: ""}
data:
  config.yml: |
    apiVersion: kapp.k14s.io/v1alpha1
    kind: Config
    additionalLabels: {b: two}
    diffMaskRules:
    - path: [spec]
      resourceMatchers:
      - allMatcher: {}
---
apiVersion: example.org/v1
kind: ConfigMap
metadata: {name: other, labels: {kapp.k14s.io/config: ""}}
`)
	c, rest, err := ExtractKappConfig(objects)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"a": "one", "b": "two"}, c.AdditionalLabels)
	require.Len(t, c.MaskRules, 2)
	assert.Equal(t, "[spec, on, {allIndexes: true}, {index: 2}]", c.MaskRules[0].Path.String())
	assert.Equal(t, "a.yaml:5: diffMaskRules[0]", c.MaskRules[0].At.String())
	assert.Equal(t, "a.yaml:14: config.yml of ConfigMap carrier:5: diffMaskRules[0]", c.MaskRules[1].At.String())
	var names []string
	for _, o := range rest {
		names = append(names, o.Name())
	}
	assert.Equal(t, []string{"plain", "carrier", "other"}, names, "the ConfigMap is deployed, the document isn't")
}

func TestExtractKappConfigFaults(t *testing.T) {
	objects := loaded(t, `apiVersion: kapp.k14s.io/v1alpha1
kind: Config
metadata: {name: rules}
rebaseRulez: []
---
apiVersion: v1
kind: ConfigMap
metadata: {name: carrier, labels: {kapp.k14s.io/config: x}}
data:
  config.yml: |
    apiVersion: kapp.k14s.io/v1alpha1
    kind: Config
    waitRulez: []
---
apiVersion: v1
kind: ConfigMap
metadata: {name: empty, namespace: ns, labels: {kapp.k14s.io/config: ""}}
data: {config.yaml: ""}
---
apiVersion: kapp.k14s.io/v1alpha1
kind: Confg
metadata: {name: rules}
`)
	_, rest, err := ExtractKappConfig(objects)
	require.EqualError(t, err, `a.yaml:1: unknown field "rebaseRulez"; did you mean "rebaseRules"?
a.yaml:6: config.yml of ConfigMap carrier:3: unknown field "waitRulez"; did you mean "waitRules"?
a.yaml:15: data: the ConfigMap ns/empty has label kapp.k14s.io/config but no config.yml
a.yaml:20: kind: wanted Config, found "Confg"`)
	assert.Nil(t, rest)

	c, rest, err := ExtractKappConfig(nil)
	require.NoError(t, err)
	assert.Equal(t, KappConfig{}, c)
	assert.Empty(t, rest)
}

func TestExtractKappConfigWithoutOrigin(t *testing.T) {
	_, _, err := ExtractKappConfig([]object.Object{{Body: map[string]any{
		"apiVersion": "kapp.k14s.io/v1alpha1", "kind": "Config", "metadata": map[string]any{"name": "x"}, "a": int64(1),
	}}})
	require.ErrorContains(t, err, `Config.kapp.k14s.io x: unknown field "a"`)
}
