package state

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestValidateManifest(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "0", "nginx", "a-b", "a--b", strings.Repeat("x", 500)} {
		require.NoError(t, ValidateManifest(name))
	}
	for _, name := range []string{"", "-a", "a-", "A", "a_b", "_metadata", "a.1", "a/b", "ü", "a b", "a\n"} {
		require.ErrorContains(t, ValidateManifest(name), "manifest name", "%q", name)
	}
}

func TestDerivedNames(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "tazuna-state-nginx", StateName("nginx"))
	assert.Equal(t, "tazuna-record-nginx", BodiesName("nginx"))
	assert.Equal(t, "tazuna-lock-nginx", LockName("nginx"))

	fits := strings.Repeat("m", maxDerived-len(statePrefix))
	assert.Equal(t, statePrefix+fits, StateName(fits))
	assert.Len(t, StateName(fits), maxDerived)

	long := fits + "m"
	assert.Equal(t, statePrefix+long[:180]+"-", StateName(long)[:len(statePrefix)+181])
	assert.Regexp(t, `-[0-9a-f]{16}$`, StateName(long))
	assert.NotEqual(t, StateName(long), StateName(long+"m"), "names with the same beginning must not share a record")
}

// Every name that we derive is one the API server admits, shards included.
func TestDerivedNamesAreAdmitted(t *testing.T) {
	t.Parallel()
	subdomain := regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	for n := 1; n < 300; n++ {
		for _, manifest := range []string{strings.Repeat("m", n), "a" + strings.Repeat("-", n) + "b"} {
			for _, base := range []string{StateName(manifest), BodiesName(manifest), LockName(manifest)} {
				name := shardName(base, maxShards)
				require.LessOrEqual(t, len(name), maxObjectName)
				require.Regexp(t, subdomain, name)
			}
		}
	}
}

func TestOriginalName(t *testing.T) {
	t.Parallel()
	assert.Empty(t, originalName("nginx"), "the same as ours")
	long := strings.Repeat("m", 240)
	assert.Equal(t, statePrefix+long, originalName(long))
	assert.Empty(t, originalName(long+"m"), "no ConfigMap can have it")
}

func TestShardNames(t *testing.T) {
	t.Parallel()
	for i := range 12 {
		base, shard, ok := splitShardName(shardName("tazuna-state-m", i))
		assert.True(t, ok)
		assert.Equal(t, "tazuna-state-m", base)
		assert.Equal(t, i, shard)
	}
	for _, name := range []string{"a.0", "a.01", "a.x", "a.", "a.-1", "a.1.2"} {
		_, _, ok := splitShardName(name)
		assert.False(t, ok, name)
	}
}
