package config

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNamedRules(t *testing.T) {
	files := map[string]string{
		"dir/rules.yaml": "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\nadditionalLabels: {team: blue}\n",
		"dir/more.yaml":  "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\nadditionalLabels: {cost: '1'}\n",
		"dir/wrong.yaml": "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\nrebaseRulez: []\n",
	}
	read := func(path string) ([]byte, error) {
		text, ok := files[path]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("no such file")}
		}
		return []byte(text), nil
	}
	o := LoadOptions{ReadFile: read}
	f, err := Parse([]byte("spec:\n  rules: [rules.yaml, more.yaml]\n  manifests: []\n"), "dir/tazuna.yaml", o)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"team": "blue", "cost": "1"}, f.Tazuna.Spec.Rules.AdditionalLabels)

	_, err = Parse([]byte("spec:\n  rules:\n  - wrong.yaml\n  - missing.yaml\n  manifests: []\n"), "dir/tazuna.yaml", o)
	require.ErrorContains(t, err, "dir/tazuna.yaml:4: spec.rules[1]: dir/missing.yaml can't be read: no such file")
	require.ErrorContains(t, err, "dir/wrong.yaml:3: unknown field \"rebaseRulez\"")
}
