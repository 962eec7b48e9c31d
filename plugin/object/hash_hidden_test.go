package object

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hiding hides paths of every object.
func hiding(key string, paths ...Path) Hasher {
	return Hasher{Key: []byte(key), Hide: func(map[string]any) []MaskRule { return []MaskRule{{Paths: paths}} }}
}

const hidden = `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "annotations": {"token": "hunter22"}},
	"data": {"password": "hunter22", "mode": "fast", "port": 8080}}`

func TestHiddenValuesEnterTheHashKeyed(t *testing.T) {
	h := hiding("key", Path{"data", "password"}, Path{"data", "port"}, Path{"metadata", "annotations", "token"})
	body := decode(t, hidden)
	keyed, err := h.Keyed(body)
	require.NoError(t, err)
	text, err := EncodeJSON(keyed)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "hunter22")
	assert.NotContains(t, string(text), "8080")
	assert.Contains(t, string(text), "fast")
	assert.True(t, Equal(decode(t, hidden), body), "the argument was changed")

	content, err := h.Content(body)
	require.NoError(t, err)
	other, err := hiding("another key", Path{"data", "password"}).Content(body)
	require.NoError(t, err)
	open, err := Hasher{}.Content(body)
	require.NoError(t, err)
	assert.NotEqual(t, content, other)
	assert.NotEqual(t, content, open)
	for _, stored := range []string{content, open} { // one written before the value was hidden still fits
		same, err := h.Matches(body, stored)
		require.NoError(t, err)
		assert.True(t, same)
	}
	changed := decode(t, strings.Replace(hidden, `"password": "hunter22"`, `"password": "hunter23"`, 1))
	same, err := h.Matches(changed, content)
	require.NoError(t, err)
	assert.False(t, same)
}

func TestHiddenValuesNeedAKeyOnlyWhereThereAreAny(t *testing.T) {
	h := hiding("", Path{"data", "password"})
	_, err := h.Content(decode(t, hidden))
	require.ErrorIs(t, err, ErrNoHashKey)
	_, err = h.Content(decode(t, `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"mode": "fast"}}`))
	require.NoError(t, err)
}

// Base64 is only undone where the API has it: elsewhere two spellings are two values.
func TestHiddenValuesAreExact(t *testing.T) {
	h := hiding("key", Path{"data", "*"})
	seen := map[string]string{}
	for _, value := range []string{`"aGVsbG8="`, `"aGVsbG8=\n"`, `"hello"`, `1`, `"1"`, `true`, `"true"`, `{"a": 1}`} {
		sum, err := h.Content(decode(t, `{"apiVersion": "example.org/v1", "kind": "Any", "metadata": {"name": "a"}, "data": {"v": [`+value+`]}}`))
		require.NoError(t, err)
		assert.Empty(t, seen[sum], value)
		seen[sum] = value
	}
}

// What rules say of a Secret's values changes nothing: their hash means the same for
// everybody.
func TestHiddenValuesOfSecrets(t *testing.T) {
	body := decode(t, `{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "annotations": {"token": "t0ken"}}, "stringData": {"k": "v"}}`)
	plain, err := Hasher{Key: []byte("key")}.Content(body)
	require.NoError(t, err)
	h := hiding("key", Path{"data"}, Path{"stringData"})
	ruled, err := h.Content(body)
	require.NoError(t, err)
	assert.Equal(t, plain, ruled)
	assert.Empty(t, h.Hidden(body))

	h = hiding("key", Path{"data"}, Path{"metadata", "annotations", "token"})
	keyed, err := h.Keyed(body)
	require.NoError(t, err)
	text, err := EncodeJSON(keyed)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "t0ken")
	assert.Equal(t, []Path{{"metadata", "annotations", "token"}}, h.Hidden(body))
}

func TestReveal(t *testing.T) {
	h := hiding("key", Path{"data", "*"})
	body := decode(t, hidden)
	keyed, err := h.Keyed(body)
	require.NoError(t, err)
	rules := HidePaths(RefOf(body), h.Hidden(body))
	assert.True(t, Equal(body, h.Reveal(keyed, rules, nil, body)), "by the object itself")

	live := decode(t, strings.Replace(hidden, `"mode": "fast"`, `"mode": "slow"`, 1))
	revealed := h.Reveal(keyed, rules, live)
	data, _ := revealed["data"].(map[string]any)
	assert.Equal(t, "hunter22", data["password"])
	assert.EqualValues(t, 8080, data["port"])
	assert.True(t, IsKeyed(data["mode"]), "nothing is known that fits")
	assert.True(t, Equal(keyed, Hasher{}.Reveal(keyed, rules, live)), "without a key nothing fits")
	assert.False(t, IsKeyed("hmac:short"))
	assert.False(t, IsKeyed(7))
}
