package state

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

func TestHashKey(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t)
	s := newStore(f)
	key, err := s.HashKey(t.Context(), false)
	require.ErrorIs(t, err, ErrNoHashKey)
	assert.NotNil(t, key, "known to be absent")
	assert.Empty(t, key)
	assert.Equal(t, []string{"get Secret tazuna-hash-key"}, f.requests())

	key, err = s.HashKey(t.Context(), true)
	require.NoError(t, err)
	assert.Len(t, key, 32)
	assert.Equal(t, true, f.get("Secret", HashKeyName).Object["immutable"])
	again, err := s.HashKey(t.Context(), false)
	require.NoError(t, err)
	assert.Equal(t, key, again)
	again, err = s.HashKey(t.Context(), true)
	require.NoError(t, err)
	assert.Equal(t, key, again)
}

// Two runs make the key at once: both go on with the one that is stored.
func TestHashKeyRace(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	theirs := []byte(strings.Repeat("k", 32))
	f.before = func(verb, kind, _ string) error {
		if verb == "create" && kind == "Secret" {
			f.before = nil
			f.put(hashKeyBody(theirs))
		}
		return nil
	}
	key, err := newStore(f).HashKey(t.Context(), true)
	require.NoError(t, err)
	assert.Equal(t, theirs, key)
}

func TestHashKeyOutOfReach(t *testing.T) {
	t.Parallel()
	for _, refused := range []string{"get", "create"} {
		f := newFakeCluster(t).withNamespace()
		f.before = func(verb, _, name string) error {
			if verb == refused {
				return apierrors.NewForbidden(resource(secrets()), name, errors.New("no"))
			}
			return nil
		}
		key, err := newStore(f).HashKey(t.Context(), true)
		assert.True(t, apierrors.IsForbidden(err))
		assert.Nil(t, key, "it is not known whether there is one")
	}
}

func TestHashKeyDamaged(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "%", base64.StdEncoding.EncodeToString([]byte("short"))} {
		f := newFakeCluster(t).withNamespace()
		body := hashKeyBody(nil)
		body["data"] = map[string]any{hashKeyData: text}
		f.put(body)
		_, err := newStore(f).HashKey(t.Context(), true)
		require.ErrorContains(t, err, "wanted 32 bytes")
	}
}

func TestHashKeyNeedsRandomness(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	s := newStore(f)
	s.Rand = strings.NewReader("too little")
	_, err := s.HashKey(t.Context(), true)
	require.Error(t, err)
	_, err = s.Begin(t.Context(), "m", "apply")
	require.Error(t, err)
	assert.Empty(t, writes(f.requests()))

	s = &Store{Client: f}
	key, err := s.HashKey(t.Context(), true)
	require.NoError(t, err, "without a source it is the system's")
	assert.Len(t, key, 32)
}
