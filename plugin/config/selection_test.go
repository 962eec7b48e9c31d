package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func three(t *testing.T) *File {
	t.Helper()
	f, err := Parse([]byte(`spec:
  manifests:
  - {name: network, type: yaml, path: a, tags: [base, net, net]}
  - {name: storage, type: yaml, path: b, tags: [base]}
  - {name: apps, type: yaml, path: c}
`), "tazuna.yaml", withTypes())
	require.NoError(t, err)
	return f
}

func TestTags(t *testing.T) {
	assert.Equal(t, []Tag{
		{Name: "base", Manifests: []string{"network", "storage"}},
		{Name: "net", Manifests: []string{"network"}},
	}, three(t).Tags())
}

func TestSelect(t *testing.T) {
	tests := map[string]struct {
		names, tags []string
		want        []string
		err         string
	}{
		"all":                    {want: []string{"network", "storage", "apps"}},
		"by tag":                 {tags: []string{"base"}, want: []string{"network", "storage"}},
		"one of several tags":    {tags: []string{"net", "base"}, want: []string{"network", "storage"}},
		"by name, order of file": {names: []string{"apps", "network"}, want: []string{"network", "apps"}},
		"name or tag":            {names: []string{"apps"}, tags: []string{"net"}, want: []string{"network", "apps"}},
		"unknown name":           {names: []string{"netwrok"}, err: `tazuna.yaml: no manifest named "netwrok"; did you mean "network"?`},
		"unknown tag":            {tags: []string{"x"}, err: `tazuna.yaml: no manifest with tag "x"; known: base, net`},
		"one unknown among others": {
			names: []string{"apps"}, tags: []string{"bases"},
			err: `tazuna.yaml: no manifest with tag "bases"; did you mean "base"?`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := three(t).Select(test.names, test.tags)
			if test.err != "" {
				require.EqualError(t, err, test.err)
				return
			}
			require.NoError(t, err)
			var names []string
			for _, m := range got {
				names = append(names, m.Name)
			}
			assert.Equal(t, test.want, names)
		})
	}
}

func TestDidYouMean(t *testing.T) {
	tests := map[string]struct {
		word  string
		known []string
		want  string
	}{
		"swapped letters": {"nmae", []string{"path", "name"}, `; did you mean "name"?`},
		"case":            {"Name", []string{"path", "name"}, `; did you mean "name"?`},
		"far":             {"color", []string{"path", "name"}, "; known: path, name"},
		"nothing known":   {"color", nil, ""},
		"nearest wins":    {"tags", []string{"tag", "tags2", "rags"}, `; did you mean "tag"?`},
		"very long":       {string(make([]byte, 500)), []string{"name"}, "; known: name"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, didYouMean(test.word, test.known))
		})
	}
}
