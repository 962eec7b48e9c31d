package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What an idle controller may send is told from what it must not.
func TestIdleRequests(t *testing.T) {
	tests := map[string]struct {
		text         string
		idle, writes bool
	}{
		"a watch":               {`{"verb":"watch","resource":"deployments","group":"apps"}`, true, false},
		"a list":                {`{"verb":"list","resource":"configmaps"}`, true, false},
		"a renewal":             {`{"verb":"update","resource":"leases"}`, true, true},
		"a look at a lock":      {`{"verb":"get","resource":"leases"}`, true, false},
		"a look at an object":   {`{"verb":"get","resource":"configmaps"}`, false, false},
		"a status":              {`{"verb":"update","resource":"applications/status"}`, false, true},
		"an apply":              {`{"verb":"patch","resource":"configmaps"}`, false, true},
		"an apply as a dry run": {`{"verb":"patch","resource":"configmaps","dryRun":true}`, false, false},
		"the server's version":  {`{"verb":"get","route":"/version"}`, true, false},
		"its kinds":             {`{"verb":"get","route":"/apis"}`, true, false},
		"those of one group":    {`{"verb":"get","route":"/apis/apps/v1"}`, false, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var r request
			require.NoError(t, json.Unmarshal([]byte(tt.text), &r))
			assert.Equal(t, tt.idle, r.idle())
			assert.Equal(t, tt.writes, r.writes())
		})
	}
	assert.Equal(t, "get /version", request{Verb: "get", Route: "/version"}.String())
}

func TestTally(t *testing.T) {
	assert.Equal(t, "1 Failed, 2 Ready", tally([]string{"Ready", "Failed", "Ready"}))
	assert.Equal(t, "none", orNone(tally(nil)))
}

func TestValueOf(t *testing.T) {
	text := "# HELP go_goroutines Number\ngo_goroutines 42\ngo_goroutines_other 7\nVmRSS:\t   2048 kB\n"
	for name, want := range map[string]float64{"go_goroutines": 42, "VmRSS:": 2048} {
		got, err := valueOf(strings.NewReader(text), name)
		require.NoError(t, err)
		assert.InDelta(t, want, got, 0)
	}
	_, err := valueOf(strings.NewReader(text), "process_cpu")
	require.ErrorContains(t, err, "process_cpu")
}
