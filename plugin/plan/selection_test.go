package plan

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/labels"
)

func sampleReport() *Report {
	r := &Report{Objects: []ObjectReport{
		{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web", Op: OpUpdate, Labels: map[string]string{"app": "web"}},
		{APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "web-config", Op: OpCreate},
		{APIVersion: "v1", Kind: "Secret", Namespace: "shop", Name: "old", Op: OpDelete},
		{APIVersion: "demo.example/v1", Kind: "Deployment", Namespace: "shop", Name: "other"},
	}, Leftover: []Leftover{{Name: "x"}}}
	r.Summary = summarise(r)
	return r
}

func names(r *Report) []string {
	out := []string{}
	for _, o := range r.Objects {
		out = append(out, o.Name)
	}
	return out
}

func TestSelect(t *testing.T) {
	web, err := labels.Parse("app=web")
	require.NoError(t, err)
	tests := map[string]struct {
		s    Selection
		want []string
	}{
		"all":            {Selection{}, []string{"web", "web-config", "old", "other"}},
		"by op":          {Selection{Ops: []Op{OpCreate, OpDelete}}, []string{"web-config", "old"}},
		"by kind":        {Selection{Kinds: []string{"deployment"}}, []string{"web", "other"}},
		"kind and group": {Selection{Kinds: []string{"deployment.apps"}}, []string{"web"}},
		"core group":     {Selection{Kinds: []string{"secret."}}, []string{"old"}},
		"by name":        {Selection{Names: []string{"web*"}}, []string{"web", "web-config"}},
		"by label":       {Selection{Labels: web}, []string{"web"}},
		"together":       {Selection{Kinds: []string{"ConfigMap"}, Names: []string{"old"}}, []string{}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) { require.Equal(t, tc.want, names(sampleReport().Select(tc.s))) })
	}
}

func TestSelectCountsWhatIsLeft(t *testing.T) {
	got := sampleReport().Select(Selection{Names: []string{"other"}})
	require.Equal(t, 1, got.Summary.Noop)
	require.Zero(t, got.Summary.Create)
	require.False(t, got.Differs(), "exit code and text must agree")
	require.Empty(t, got.Leftover)
}

// kapp.md B9: two operations in one filter select either.
func TestB09_OpsOfADiffFilterAreAnyOf(t *testing.T) {
	f, err := ParseDiffFilter(`{"ops":["update","add"]}`)
	require.NoError(t, err)
	require.Equal(t, []string{"web", "web-config"}, names(sampleReport().Select(Selection{Filter: f})))
}

func TestDiffFilter(t *testing.T) {
	tests := map[string]struct {
		filter string
		want   []string
	}{
		"and":           {`{"and":[{"ops":["add"]},{"newResource":{"kinds":["ConfigMap"]}}]}`, []string{"web-config"}},
		"or":            {`{"or":[{"ops":["delete"]},{"newResource":{"names":["other"]}}]}`, []string{"old", "other"}},
		"not":           {`{"not":{"ops":["keep"]}}`, []string{"web", "web-config", "old"}},
		"existing only": {`{"existingResource":{"namespaces":["sh*"]}}`, []string{"web", "old", "other"}},
		"new only":      {`{"newResource":{"namespaces":["shop"]}}`, []string{"web", "web-config", "other"}},
		"kind and name": {`{"newResource":{"kindNames":["Deployment/web"]}}`, []string{"web"}},
		"labels":        {`{"newResource":{"labels":["app in (web)"]}}`, []string{"web"}},
		"three parts":   {`{"newResource":{"kindNsNames":["Deployment/%/other"]}}`, []string{"other"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f, err := ParseDiffFilter(tc.filter)
			require.NoError(t, err)
			require.Equal(t, tc.want, names(sampleReport().Select(Selection{Filter: f})))
		})
	}
}

func TestDiffFilterErrors(t *testing.T) {
	for _, text := range []string{
		`{`, `{"opz":["add"]}`, `{"ops":["replace"]}`, `{} {}`, `{"not":{"ops":["x"]}}`,
		`{"and":[{"newResource":{"labels":["a in ("]}}]}`,
	} {
		_, err := ParseDiffFilter(text)
		require.Error(t, err, text)
	}
}

func TestGlob(t *testing.T) {
	for _, tc := range []struct {
		pattern, text string
		want          bool
	}{
		{"web", "web", true},
		{"web", "webs", false},
		{"web*", "webs", true},
		{"*web", "my-web", true},
		{"*e*", "web", true},
		{"a*c", "abc", true},
		{"a*c", "abd", false},
		{"*", "", true},
		{"", "x", false},
		{"a*a", "a", false},
		{"%x", "ax", true},
	} {
		require.Equal(t, tc.want, glob(tc.pattern, tc.text), "%q %q", tc.pattern, tc.text)
	}
}
