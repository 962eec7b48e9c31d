package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReferenceIsCurrent compares docs/reference with the commands.
func TestReferenceIsCurrent(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "docs", "reference")
	want := pages(newRoot())
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err, "run `make docs`")
		assert.Equal(t, text, string(got), "%s is out of date: run `make docs`", name)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	require.NoError(t, err)
	assert.Len(t, files, len(want), "there are pages of commands that are gone: run `make docs`")
}

// TestEveryCommandSaysWhatItDoes holds the tone of the help.
func TestEveryCommandSaysWhatItDoes(t *testing.T) {
	walk(newRoot(), func(c *cobra.Command) {
		assert.NotEmpty(t, c.Short, c.CommandPath())
		assert.NotRegexp(t, `\.$`, c.Short, "%s: no full stop at the end", c.CommandPath())
	})
}

func TestPagesAreStable(t *testing.T) {
	first, second := pages(newRoot()), pages(newRoot())
	assert.Equal(t, first, second)
}

func TestWriteRemovesOldPages(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, write(dir, map[string]string{"a.md": "a", "b.md": "b"}))
	require.NoError(t, write(dir, map[string]string{"b.md": "c"}))

	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	text, err := os.ReadFile(filepath.Join(dir, "b.md"))
	require.NoError(t, err)
	assert.Equal(t, "c", string(text))
}

func TestCell(t *testing.T) {
	assert.Equal(t, `one \| two`, cell(" one |\n\ttwo "))
}

func TestUnindent(t *testing.T) {
	assert.Equal(t, "# a\nb", unindent("  # a\n  b\n"))
}
