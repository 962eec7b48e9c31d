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
