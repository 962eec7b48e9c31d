package prune

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"
)

func TestMadeAgain(t *testing.T) {
	for name, c := range map[string]struct {
		recorded types.UID
		kept     bool
	}{
		"the same":     {"u-1", false},
		"another":      {"u-2", true},
		"not recorded": {"", false},
	} {
		got := MadeAgain{}.Keep(Candidate{UID: "u-1", Entry: Entry{UID: c.recorded}})
		assert.Equal(t, c.kept, got != nil, name)
		if got != nil {
			assert.True(t, got.Forget, "it is not ours")
			assert.Contains(t, got.Reason, "made again by somebody else")
		}
	}
}
