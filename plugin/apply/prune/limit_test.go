package prune

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseLimit(t *testing.T) {
	for text, ok := range map[string]bool{
		"": true, "0": true, "10": true, "5%": true, "0%": true, "100%": true,
		"-1": false, "101%": false, "a": false, "5 %": false, "%": false, "1.5": false, "10%%": false,
	} {
		limit, err := ParseLimit(text)
		if !ok {
			require.ErrorContains(t, err, "wanted a number like 10 or a share like 5%", text)
			continue
		}
		require.NoError(t, err, text)
		assert.Equal(t, text, limit.String())
	}
}

func TestLimitOver(t *testing.T) {
	for _, c := range []struct {
		limit    string
		n, total int
		kept     bool
	}{
		{"", 1000, 1000, false},
		{"0", 0, 10, false},
		{"0", 1, 10, true},
		{"3", 3, 10, false},
		{"3", 4, 10, true},
		{"10%", 1, 10, false},
		{"10%", 2, 10, true},
		{"10%", 1, 9, true}, // rounded down
		{"100%", 9, 9, false},
	} {
		limit, err := ParseLimit(c.limit)
		require.NoError(t, err)
		got := limit.Over(c.n, c.total).Keep(Candidate{})
		assert.Equal(t, c.kept, got != nil, c)
		if got != nil {
			assert.True(t, got.Refused)
			assert.Contains(t, got.Reason, "--max-prune "+c.limit)
		}
	}
}
