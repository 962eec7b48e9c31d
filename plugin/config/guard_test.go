package config

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCheckContext(t *testing.T) {
	tests := map[string]struct {
		spec     string
		selected string
		passes   bool
	}{
		"no patterns":                  {"{}", "anything", true},
		"no patterns, no context":      {"{}", "", true},
		"empty list":                   {"{context_matches: []}", "anything", true},
		"or, first":                    {"{context_matches: [dev, staging]}", "dev-1", true},
		"or, last":                     {"{context_matches: [dev, staging]}", "my-staging", true},
		"or, none":                     {"{context_matches: [dev, staging]}", "prod", false},
		"patterns are not anchored":    {"{context_matches: [prod]}", "nonprod", true},
		"but may be":                   {"{context_matches: [^prod$]}", "nonprod", false},
		"case counts":                  {"{context_matches: [prod]}", "PROD", false},
		"and, all":                     {"{context_matches: [eu, prod], context_match_mode: and}", "prod-eu", true},
		"and, one":                     {"{context_matches: [eu, prod], context_match_mode: and}", "prod-us", false},
		"explicit or":                  {"{context_matches: [eu, prod], context_match_mode: or}", "prod-us", true},
		"no context selected":          {"{context_matches: [prod]}", "", false},
		"a pattern that takes nothing": {"{context_matches: ['^$']}", "", true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f, err := Parse([]byte("spec: "+test.spec), "tazuna.yaml", withTypes())
			require.NoError(t, err)
			err = f.CheckContext(test.selected)
			if test.passes {
				require.NoError(t, err)
				return
			}
			var refused *ContextError
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, test.selected, refused.Selected)
		})
	}
}

func TestContextErrorSaysWhatAndWhere(t *testing.T) {
	text := "spec:\n  context_match_mode: %s\n  context_matches:\n  - ^dev\n  - eu$\n"
	for mode, want := range map[string]string{
		"or":  `a/tazuna.yaml:4: context "prod" is refused: context_matches wants one of: ^dev, eu$; select another with --context`,
		"and": `a/tazuna.yaml:4: context "prod" is refused: context_matches wants all of: ^dev, eu$; select another with --context`,
	} {
		f, err := Parse([]byte(fmt.Sprintf(text, mode)), "a/tazuna.yaml", withTypes())
		require.NoError(t, err)
		assert.EqualError(t, f.CheckContext("prod"), want)
	}
	f, err := Parse([]byte(fmt.Sprintf(text, "or")), "a/tazuna.yaml", withTypes())
	require.NoError(t, err)
	assert.ErrorContains(t, f.CheckContext(""), "a run without a context is refused")
}

func TestEnvironmentsGuard(t *testing.T) {
	text := `spec:
  context_matches: [^dev$]
  context_match_mode: and
  environments:
    prod: {context_matches: [prod, eu]}
    staging: {context_matches: [stg, eu], context_match_mode: or}
    open: {}
    bare:
`
	tests := map[string]struct {
		environment, selected string
		passes                bool
	}{
		"none: the file's":                   {"", "dev", true},
		"none: not an environment's":         {"", "prod-eu", false},
		"they replace the file's":            {"prod", "dev", false},
		"the file's mode is inherited":       {"prod", "prod-us", false},
		"and holds":                          {"prod", "prod-eu", true},
		"an own mode":                        {"staging", "stg-us", true},
		"without patterns every context may": {"open", "anything", true},
		"without anything every context may": {"bare", "anything", true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := withTypes()
			o.Environment = test.environment
			f, err := Parse([]byte(text), "tazuna.yaml", o)
			require.NoError(t, err)
			assert.Equal(t, []string{"prod", "staging", "open", "bare"}, f.Tazuna.Spec.Environments)
			assert.Equal(t, test.passes, f.CheckContext(test.selected) == nil)
		})
	}

	o := withTypes()
	o.Environment = "prd"
	_, err := Parse([]byte(text), "tazuna.yaml", o)
	require.EqualError(t, err, `tazuna.yaml:2: spec.environments: no environment "prd", which -e asks for; did you mean "prod"?`)
	o.Lenient = true
	_, err = Parse([]byte(text), "tazuna.yaml", o)
	require.ErrorContains(t, err, `no environment "prd"`, "its guard would be lost")
	f, err := Parse([]byte("spec:\n  context_matches: [^dev$]\n"), "tazuna.yaml", o)
	require.NoError(t, err)
	assert.Len(t, f.Warnings, 1)
	require.NoError(t, f.CheckContext("dev"), "the file's guard stays")
	require.Error(t, f.CheckContext("prod-eu"))

	_, err = Parse([]byte("spec: {environments: {'': {}, x: {context_matches: ['(']}}}"), "tazuna.yaml", withTypes())
	require.ErrorContains(t, err, "the name of an environment is empty")
	require.ErrorContains(t, err, "spec.environments.x.context_matches[0]: error parsing regexp")
}

func TestContextErrorNamesTheEnvironment(t *testing.T) {
	o := withTypes()
	o.Environment = "prod"
	f, err := Parse([]byte("spec:\n  environments:\n    prod:\n      context_matches: [^prod-]\n"), "tazuna.yaml", o)
	require.NoError(t, err)
	require.EqualError(t, f.CheckContext("dev"),
		`tazuna.yaml:4: context "dev" is refused: context_matches of environment prod wants one of: ^prod-; select another with --context`)
}

func TestUnanchored(t *testing.T) {
	f, err := Parse([]byte("spec: {context_matches: [prod, ^prod, prod$, '\\bprod']}"), "tazuna.yaml", withTypes())
	require.NoError(t, err)
	found := f.Unanchored()
	require.Len(t, found, 1)
	assert.Contains(t, found[0].String(), `the pattern prod matches any part of a name, as in "nonprod"`)
}
