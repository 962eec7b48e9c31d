package skeleton

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "shop")
	written, err := Write(dir, "shop")
	require.NoError(t, err)
	assert.Contains(t, written, "package.yaml")
	assert.Contains(t, written, "templates/_helpers.tpl")
	assert.True(t, slices.IsSorted(written))
	for _, file := range written {
		path := filepath.Join(dir, filepath.FromSlash(file))
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.NotContains(t, string(content), placeholder, file)
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, strings.HasPrefix(file, "hooks/"), info.Mode().Perm()&0o100 != 0, "%s: only hooks can be executed", file)
	}
	definition, err := os.ReadFile(filepath.Join(dir, "package.yaml"))
	require.NoError(t, err)
	assert.Contains(t, string(definition), "\nname: shop\n")
}

func TestWriteTouchesNothing(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "mine")
	require.NoError(t, os.WriteFile(mine, []byte("x"), 0o600))
	_, err := Write(dir, "shop")
	require.EqualError(t, err, "directory of the package: wanted a new or empty one, found mine in "+dir)
	_, err = Write(mine, "shop")
	require.ErrorContains(t, err, "directory of the package: ")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

func TestCheckName(t *testing.T) {
	for name, ok := range map[string]bool{
		"a": true, "shop": true, "my-shop-2": true, strings.Repeat("a", 63): true,
		"": false, "Shop": false, "2shop": false, "shop-": false, "-shop": false, "my_shop": false,
		"../shop": false, "shop/web": false, strings.Repeat("a", 64): false,
	} {
		assert.Equal(t, ok, CheckName(name) == nil, name)
	}
}
