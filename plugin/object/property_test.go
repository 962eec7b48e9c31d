package object

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// randomValue makes a JSON value of every kind there is.
func randomValue(r *rand.Rand, depth int) any {
	kinds := 9
	if depth <= 0 {
		kinds = 7
	}
	switch r.IntN(kinds) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2:
		return int64(r.Uint64())
	case 3, 4:
		words := scalars()
		return words[r.IntN(len(words))]
	case 5:
		return "line one\n  line two\n"[:r.IntN(21)]
	case 6:
		return int64(r.IntN(10))
	case 7:
		list := []any{}
		for range r.IntN(4) {
			list = append(list, randomValue(r, depth-1))
		}
		return list
	default:
		m := map[string]any{}
		words := scalars()
		for range r.IntN(5) {
			m[words[r.IntN(len(words))]] = randomValue(r, depth-1)
		}
		return m
	}
}

func randomBody(seed uint64) map[string]any {
	r := rand.New(rand.NewPCG(seed, 2))
	kinds := []string{"Secret", "ConfigMap", "Deployment", "List"}
	body := map[string]any{"apiVersion": "v1", "kind": kinds[r.IntN(len(kinds))], "metadata": map[string]any{"name": "x"}}
	for _, key := range []string{"data", "stringData", "binaryData", "spec", "status"} {
		if r.IntN(2) == 0 {
			body[key] = randomValue(r, 4)
		}
	}
	return body
}

// forRandomBodies runs a property on some hundred bodies, and holds that none
// of our functions changes its argument.
func forRandomBodies(t *testing.T, property func(t *testing.T, body map[string]any)) {
	t.Helper()
	for seed := range uint64(300) {
		body := randomBody(seed)
		before := copyMap(body)
		property(t, body)
		require.Equal(t, before, body, "seed %d: the argument was changed", seed)
	}
}

func TestPropertyEqual(t *testing.T) {
	forRandomBodies(t, func(t *testing.T, body map[string]any) {
		other := copyMap(body)
		require.True(t, Equal(body, other))
		other["extra"] = nil
		require.False(t, Equal(body, other))
		require.False(t, Equal(other, body))
	})
}

func TestPropertyYAMLReadsBack(t *testing.T) {
	forRandomBodies(t, func(t *testing.T, body map[string]any) {
		written, err := EncodeYAML(body)
		require.NoError(t, err)
		assertReadsBack(t, body, written)
	})
}

func TestPropertyJSONReadsBack(t *testing.T) {
	forRandomBodies(t, func(t *testing.T, body map[string]any) {
		written, err := EncodeJSON(body)
		require.NoError(t, err)
		again, err := DecodeJSON(written)
		require.NoError(t, err)
		require.Equal(t, body, again)
	})
}

// TestPropertyTwiceIsOnce: what tidies an object finds nothing the second time.
func TestPropertyTwiceIsOnce(t *testing.T) {
	for name, tidy := range map[string]func(map[string]any) map[string]any{
		"Normalise":         Normalise,
		"FoldStringData":    FoldStringData,
		"StripServerFields": StripServerFields,
		"DropNulls":         func(body map[string]any) map[string]any { return DropNulls(body, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			forRandomBodies(t, func(t *testing.T, body map[string]any) {
				once := tidy(body)
				require.True(t, Equal(once, tidy(once)))
			})
		})
	}
}

func TestPropertyFoldingKeepsTheHashOfEachValue(t *testing.T) {
	h := Hasher{Key: make([]byte, 32)}
	text := map[string]any{"apiVersion": "v1", "kind": "Secret", "stringData": map[string]any{"p": "secret"}}
	built, err := h.Keyed(text)
	require.NoError(t, err)
	folded, err := h.Keyed(FoldStringData(text))
	require.NoError(t, err)
	assert.Equal(t, field(built, "stringData", "p"), field(folded, "data", "p"))
}

// TestPropertyMaskKeepsKeys: masking is stable, keeps every key of a masked
// mapping, and marks two equal sides equally.
func TestPropertyMaskKeepsKeys(t *testing.T) {
	m := DefaultMasker()
	forRandomBodies(t, func(t *testing.T, body map[string]any) {
		b, a := m.Pair(body, copyMap(body))
		require.Equal(t, b, a, "equal sides look equal")
		again, _ := m.Pair(body, body)
		require.Equal(t, b, again)
		data, ok := body["data"].(map[string]any)
		if !ok {
			return
		}
		masked, ok := b["data"].(map[string]any)
		require.True(t, ok)
		require.Equal(t, sortedKeys(data), sortedKeys(masked))
	})
}

func TestPropertyHashesAreStable(t *testing.T) {
	h := Hasher{Key: make([]byte, 32)}
	forRandomBodies(t, func(t *testing.T, body map[string]any) {
		sum, err := h.Content(body)
		require.NoError(t, err)
		again, err := h.Content(copyMap(body))
		require.NoError(t, err)
		require.Equal(t, sum, again)
		require.Regexp(t, `^[0-9a-f]{64}$`, sum)

		withServerFields := copyMap(body)
		withServerFields["metadata"].(map[string]any)["resourceVersion"] = "7"
		withServerFields["status"] = map[string]any{"ready": true}
		again, err = h.Content(withServerFields)
		require.NoError(t, err)
		require.Equal(t, sum, again, "what the server writes is no content")
	})
}
