package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var requirement = regexp.MustCompile(`(?m)^\s+(\S+) v\S+`)

// TestDependenciesAreExplained holds docs/dependencies.md and the imports of our
// packages together: every module that we import is explained there, and no
// other is.
func TestDependenciesAreExplained(t *testing.T) {
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	document, err := os.ReadFile(filepath.Join(root, "docs", "dependencies.md"))
	require.NoError(t, err)
	// Beyond the rules at its end the document names modules as examples.
	explained, _, found := strings.Cut(string(document), "\nRules:")
	require.True(t, found)

	var modules []string
	for _, match := range requirement.FindAllStringSubmatch(string(gomod), -1) {
		modules = append(modules, match[1])
	}
	imported := map[string]bool{}
	for _, p := range goPackages(t) {
		for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			imported[moduleOf(modules, path)] = true
		}
	}
	words := regexp.MustCompile(`[^\s,|()]+`).FindAllString(explained, -1)
	for _, module := range modules {
		assert.Equal(t, imported[module], slices.Contains(words, module),
			"%s: imported by us / explained in docs/dependencies.md", module)
	}
}

// moduleOf returns the required module that a package is in; empty for ours and
// the standard library.
func moduleOf(modules []string, path string) string {
	longest := ""
	for _, module := range modules {
		if within(path, module) && len(module) > len(longest) {
			longest = module
		}
	}
	return longest
}
