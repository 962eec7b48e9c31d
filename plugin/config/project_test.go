package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestProject(t *testing.T) {
	o := disk(map[string]string{
		"tazuna.yaml":       "spec:\n  project: shop-{{ .Environment }}\n  manifests: [{includes: [{path: inner.yaml}]}]\n",
		"inner.yaml":        "spec:\n  project: other\n  manifests: []\n",
		"wrong.yaml":        "spec:\n  project: a b\n",
		"with-nothing.yaml": "spec: {manifests: []}\n",
	})
	o.Environment, o.Lenient = "eu", true
	f, err := Load("tazuna.yaml", o)
	require.NoError(t, err)
	assert.Equal(t, "shop-eu", f.Tazuna.Spec.Project)
	require.NotEmpty(t, f.Warnings)
	assert.Contains(t, f.Warnings[len(f.Warnings)-1].String(), "inner.yaml:2")

	_, err = Load("wrong.yaml", o)
	require.ErrorContains(t, err, `"a b" is no value of a label`)
	f, err = Load("with-nothing.yaml", o)
	require.NoError(t, err)
	assert.Empty(t, f.Tazuna.Spec.Project)
}
