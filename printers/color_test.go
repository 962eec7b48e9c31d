package printers

import (
	"bytes"
	"testing"

	"github.com/fatih/color"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

func TestColorEnabled(t *testing.T) {
	type env map[string]string
	tests := map[string]struct {
		mode     string
		env      env
		terminal bool
		want     bool
	}{
		"terminal":                      {"auto", nil, true, true},
		"pipe":                          {"auto", nil, false, false},
		"empty mode is auto":            {"", nil, true, true},
		"NO_COLOR":                      {"auto", env{"NO_COLOR": "1"}, true, false},
		"NO_COLOR of any value":         {"auto", env{"NO_COLOR": "0"}, true, false},
		"empty NO_COLOR":                {"auto", env{"NO_COLOR": ""}, true, true},
		"NO_COLOR beats force":          {"auto", env{"NO_COLOR": "1", "FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"}, true, false},
		"CLICOLOR=0":                    {"auto", env{"CLICOLOR": "0"}, true, false},
		"CLICOLOR=1 needs a terminal":   {"auto", env{"CLICOLOR": "1"}, false, false},
		"CLICOLOR_FORCE in a pipe":      {"auto", env{"CLICOLOR_FORCE": "1"}, false, true},
		"CLICOLOR_FORCE=0 says nothing": {"auto", env{"CLICOLOR_FORCE": "0"}, false, false},
		"CLICOLOR_FORCE beats CLICOLOR": {"auto", env{"CLICOLOR_FORCE": "1", "CLICOLOR": "0"}, false, true},
		"FORCE_COLOR in a pipe":         {"auto", env{"FORCE_COLOR": "1"}, false, true},
		"FORCE_COLOR=true":              {"auto", env{"FORCE_COLOR": "true"}, false, true},
		"FORCE_COLOR=0":                 {"auto", env{"FORCE_COLOR": "0"}, true, false},
		"FORCE_COLOR beats TERM=dumb":   {"auto", env{"FORCE_COLOR": "1", "TERM": "dumb"}, false, true},
		"TERM=dumb":                     {"auto", env{"TERM": "dumb"}, true, false},
		"the flag beats NO_COLOR":       {"always", env{"NO_COLOR": "1"}, false, true},
		"the flag beats force":          {"never", env{"FORCE_COLOR": "1"}, true, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ColorEnabled(test.mode, func(key string) string { return test.env[key] }, test.terminal)
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
}

func TestColorEnabledRefusesOtherModes(t *testing.T) {
	_, err := ColorEnabled("on", func(string) string { return "" }, true)
	require.ErrorContains(t, err, `--color: wanted always, never or auto, found "on"`)
}

// Two printers of one process have colours of their own, whatever the library's
// process-wide switch and the environment say.
func TestColorIsNoProcessState(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	before := color.NoColor
	r := &plan.Report{Objects: []plan.ObjectReport{simpleService(t)}}
	var plain, colored bytes.Buffer
	on, off := testOptions(&colored), testOptions(&plain)
	on.Color = true
	require.NoError(t, Report(r, on))
	require.NoError(t, Report(r, off))
	require.NoError(t, Report(r, on))
	require.NotContains(t, plain.String(), "\x1b")
	require.Contains(t, colored.String(), "\x1b[31m  8     -     targetPort: 8\x1b[0m\x1b[31;7m0")
	require.Contains(t, colored.String(), "\x1b[32m      8 +     targetPort: 8\x1b[0m\x1b[32;7m1")
	require.Equal(t, before, color.NoColor)
}

func TestEveryOperationHasAColor(t *testing.T) {
	p := newPalette(true)
	for _, op := range []plan.Op{
		plan.OpCreate, plan.OpUpdate, plan.OpAdopt, plan.OpReplace, plan.OpDelete,
		plan.OpRefuse, plan.OpBlocked, plan.OpError,
	} {
		require.NotEqual(t, string(op), painted(p.op(op), string(op)), op)
	}
	require.Nil(t, p.op(plan.OpNone))
	require.Equal(t, "x", painted(nil, "x"))
}
