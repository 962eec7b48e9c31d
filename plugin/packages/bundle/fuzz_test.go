package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// FuzzDefinition looks for a package.yaml that makes the reader panic, gives a
// finding without a text or a line outside of the file, or a Definition that
// breaks what is promised of one without errors.
func FuzzDefinition(f *testing.F) {
	files, err := filepath.Glob("testdata/definitions/*.yaml")
	require.NoError(f, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Add([]byte("\"\\e[2J\": 1\nrequirements: {\"\\n\": 1}\nname: \"\\e\""))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, findings := ParseDefinition(data, DefinitionFile)
		// YAML knows more ends of lines than Go, and its reader may place an end one
		// line behind it.
		lines := 2
		for _, r := range string(data) {
			if strings.ContainsRune("\n\r\u0085\u2028\u2029", r) {
				lines++
			}
		}
		for _, found := range findings {
			require.NotEmpty(t, found.Text)
			require.Equal(t, DefinitionFile, found.File)
			require.False(t, strings.ContainsFunc(found.String(), unicode.IsControl), "%q", found)
			require.GreaterOrEqual(t, found.Line, 0)
			require.LessOrEqual(t, found.Line, lines)
		}
		if AsError(findings) == nil {
			checkDefinition(t, d)
		}
	})
}

// checkDefinition holds a definition to the invariants of the package.
func checkDefinition(t *testing.T, d Definition) {
	t.Helper()
	require.Equal(t, TypeApplication, d.Type)
	require.True(t, IsName(d.Name), d.Name)
	bucket := map[string]string{}
	claim := func(modules []ModuleRequirement, name string) {
		for _, m := range modules {
			require.True(t, IsName(m.Name))
			require.Contains(t, []string{"", name}, bucket[m.Name], "module %s is in two buckets", m.Name)
			bucket[m.Name] = name
		}
	}
	r := d.Requirements
	claim(r.Mandatory, bucketMandatory)
	claim(r.Conditional, bucketConditional)
	for _, m := range r.Conditional {
		require.False(t, m.Constraint.IsZero())
	}
	for _, groups := range []struct {
		of   []ModuleGroup
		name string
	}{{r.AnyOf, bucketAnyOf}, {r.NoneOf, bucketNoneOf}} {
		names := map[string]bool{}
		for _, g := range groups.of {
			require.NotEmpty(t, g.Modules)
			require.NotEmpty(t, g.Name)
			require.False(t, names[g.Name])
			names[g.Name] = true
			claim(g.Modules, groups.name)
		}
	}
	require.LessOrEqual(t, len(r.Unmet(Facts{})), len(bucket)+len(r.AnyOf)+2)
}

// FuzzSmallFiles does the same for the files in JSON.
func FuzzSmallFiles(f *testing.F) {
	f.Add([]byte(`{"a":"sha256:`+strings.Repeat("0", 64)+`"}`), []byte("features: [a]"))
	f.Add([]byte(`{"a":{"b":1}}`), []byte("fixes: {a: b}"))
	f.Fuzz(func(t *testing.T, digests, changelog []byte) {
		found, findings := ParseDigests(digests, DigestsFile)
		if AsError(findings) == nil {
			for _, digest := range found {
				require.Regexp(t, imageDigest, digest)
			}
		}
		_, findings = ParseChangelog(changelog, ChangelogFile)
		require.NoError(t, AsError(findings))
	})
}
