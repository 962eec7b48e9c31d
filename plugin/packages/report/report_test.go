package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFindings(t *testing.T) {
	f := NewFindings("shop", []Finding{
		{Severity: Warning, Rule: "docs", Text: "there is no docs/README.md"},
		{Severity: Warning, Rule: "pdb", File: "templates/a.yaml", Line: 3, Text: "w"},
		{Severity: Error, Rule: "scope", File: "templates/a.yaml", Line: 3, Text: "e"},
		{Severity: Error, Rule: "scope", File: "templates/a.yaml", Line: 3, Text: "e"},
		{Severity: Error, Rule: "schema", File: "openapi/settings.yaml", Line: 12, Text: "s"},
	})
	var lines []string
	for _, item := range f.Items {
		lines = append(lines, item.String())
	}
	assert.Equal(t, []string{
		"warning: there is no docs/README.md (docs)",
		"openapi/settings.yaml:12: error: s (schema)",
		"templates/a.yaml:3: error: e (scope)",
		"templates/a.yaml:3: warning: w (pdb)",
	}, lines)
	assert.Equal(t, 2, f.Errors)
	assert.Equal(t, 2, f.Warnings)
	assert.Equal(t, []string{"docs/", "schema/openapi/settings.yaml:12", "scope/templates/a.yaml:3", "pdb/templates/a.yaml:3"}, f.Names())
	assert.NotNil(t, NewFindings("shop", nil).Items)
}

func TestFailed(t *testing.T) {
	assert.False(t, (&HookRuns{}).Failed())
	assert.False(t, (&HookRuns{Runs: []HookRun{{Error: "x", Allowed: true}}}).Failed())
	assert.True(t, (&HookRuns{Runs: []HookRun{{Error: "x", Allowed: true}, {Error: "x"}}}).Failed())
}
