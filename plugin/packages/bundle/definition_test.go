package bundle

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files")

// TestDefinitions reads the files of testdata/definitions. What is read and found
// is in the file .golden beside each.
func TestDefinitions(t *testing.T) {
	files, err := filepath.Glob("testdata/definitions/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			d, findings := ParseDefinition(data, DefinitionFile)
			var got strings.Builder
			for _, f := range findings {
				got.WriteString(f.String() + "\n")
			}
			encoder := json.NewEncoder(&got)
			encoder.SetEscapeHTML(false)
			encoder.SetIndent("", "  ")
			require.NoError(t, encoder.Encode(d))
			golden := strings.TrimSuffix(file, ".yaml") + ".golden"
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got.String()), 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), got.String())
		})
	}
}

// TestRow25OptionalModules: the mark "!optional" was clumsy and read wrongly. The
// buckets are lists; the old form is understood wherever the mark has spaces.
func TestRow25OptionalModules(t *testing.T) {
	fits := func(c, version string) bool {
		parsed, err := ParseConstraint(c)
		require.NoError(t, err)
		ok, err := parsed.Allows(version)
		require.NoError(t, err)
		return ok
	}
	for text, tt := range map[string]struct {
		mandatory, conditional string // "NAME RANGE"
	}{
		`{a: ">= 1.2"}`:              {mandatory: "a >= 1.2"},
		`{a: ">=1.2 !optional"}`:     {conditional: "a >=1.2"},
		`{a: ">=1.2!optional"}`:      {conditional: "a >=1.2"},
		`{a: " >=1.2   !optional "}`: {conditional: "a >=1.2"},
		`{a: ""}`:                    {mandatory: "a "},
		`{a: }`:                      {mandatory: "a "},
		`{a: "!optional"}`:           {},
		`{mandatory: [{name: a, constraint: ">= 1.2"}]}`:        {mandatory: "a >= 1.2"},
		`{mandatory: [{name: a}]}`:                              {mandatory: "a "},
		`{conditional: [{name: a, constraint: ">= 1.2, < 2"}]}`: {conditional: "a >= 1.2, < 2"},
		`{mandatory: }`: {},
	} {
		t.Run(text, func(t *testing.T) {
			d, findings := ParseDefinition([]byte("apiVersion: v1\ntype: Application\nname: x\nrequirements: {modules: "+text+"}"), DefinitionFile)
			require.NoError(t, AsError(findings))
			assert.Equal(t, tt.mandatory, joined(d.Requirements.Mandatory))
			assert.Equal(t, tt.conditional, joined(d.Requirements.Conditional))
		})
	}
	assert.True(t, fits(">=1.2", "v1.2.0-rc.1"), "pre-releases don't count")
}

func joined(modules []ModuleRequirement) string {
	var all []string
	for _, m := range modules {
		all = append(all, m.Name+" "+m.Constraint.String())
	}
	return strings.Join(all, "; ")
}

// TestH09VendorSuffixes has the versions of case H09: what a vendor puts behind a
// version makes it no pre-release.
func TestH09VendorSuffixes(t *testing.T) {
	for _, version := range []string{"v1.36.3-gke.100", "v1.36.3-eks-abc", "v1.36.3+k3s1", "1.36.3"} {
		for constraint, want := range map[string]bool{">=1.30": true, "1.36.x": true, ">=1.37": false, "": true} {
			c, err := ParseConstraint(constraint)
			require.NoError(t, err)
			got, err := c.Allows(version)
			require.NoError(t, err)
			assert.Equal(t, want, got, "%s in %q", version, constraint)
		}
	}
	c, err := ParseConstraint(">= 1.99")
	require.NoError(t, err)
	dev, err := c.Allows("dev")
	require.NoError(t, err)
	assert.True(t, dev, "dev is newer than what is out")
	_, err = c.Allows("main")
	assert.ErrorContains(t, err, `wanted a version such as v1.29.3, found "main"`)
	_, err = ParseConstraint("about 1")
	assert.ErrorContains(t, err, `found "about 1"`)
}

func TestIsVersion(t *testing.T) {
	for version, want := range map[string]bool{
		"v1.2.3": true, "v0.0.0": true, "v10.20.30": true,
		"1.2.3": false, "v1.2": false, "v1.2.3-rc.1": false, "v1.2.3+x": false, "v1.2.03": false, "main": false, "": false, "vv1.2.3": false,
	} {
		assert.Equal(t, want, IsVersion(version), version)
	}
}

func TestFindingText(t *testing.T) {
	assert.Equal(t, "a.yaml: error: is empty", Finding{Severity: Error, File: "a.yaml", Text: "is empty"}.String())
	assert.Equal(t, "a.yaml:3: warning: b.c: odd", Finding{Severity: Warning, File: "a.yaml", Line: 3, Key: "b.c", Text: "odd"}.String())
	require.NoError(t, AsError([]Finding{{Severity: Warning}}))
	err := AsError([]Finding{{Severity: Error, File: "a", Text: "1"}, {Severity: Warning}, {Severity: Error, File: "b", Text: "2"}})
	assert.EqualError(t, err, "a: error: 1\nb: error: 2")
}
