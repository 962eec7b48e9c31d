package config

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRulePath(t *testing.T) {
	plain := keyed("spec", "a.b/c")
	keys, ok := plain.Keys()
	assert.True(t, ok)
	assert.Equal(t, []string{"spec", "a.b/c"}, keys)
	assert.Equal(t, "[spec, a.b/c]", plain.String())

	mixed := RulePath{{Key: "a"}, {All: true}, {Index: pointer(0)}, {Regex: regexp.MustCompile(`^b\.`)}, {Key: ""}}
	_, ok = mixed.Keys()
	assert.False(t, ok)
	assert.Equal(t, `[a, {allIndexes: true}, {index: 0}, {regex: "^b\\."}, ]`, mixed.String())
	var plainParts []bool
	for _, part := range mixed {
		plainParts = append(plainParts, part.IsKey())
	}
	assert.Equal(t, []bool{true, false, false, false, true}, plainParts)
}
