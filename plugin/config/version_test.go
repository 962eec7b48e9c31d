package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCheckVersion(t *testing.T) {
	tests := map[string]struct {
		minimum, running string
		passes           bool
	}{
		"newer":                       {"1.2.3", "1.3.0", true},
		"same":                        {"1.2.3", "1.2.3", true},
		"leading v on either side":    {"v1.2.3", "v1.2.3", true},
		"older":                       {"1.2.3", "1.2.2", false},
		"numbers, not text":           {"0.9.0", "0.10.0", true},
		"pre-release of that version": {"1.2.3", "1.2.3-rc.1", false},
		"build metadata is no order":  {"1.2.3", "1.2.3+dirty", true},
		"two parts":                   {"1.2", "1.2.0", true},
		"a build from source":         {"9.9.9", "dev", true},
		"unknown":                     {"9.9.9", "", true},
		"minimum that is no version":  {"latest", "1.0.0", false},
		"the same on an odd build":    {"latest", "dev", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.passes, checkVersion(test.minimum, test.running) == nil)
		})
	}
}
