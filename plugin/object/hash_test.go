package object

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	apijson "k8s.io/apimachinery/pkg/util/json"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// vectors are computed by testdata/vectors.py, which shares no code with us.
type vectors struct {
	Key     string
	Vectors []struct{ Name, Object, Plain, Content string }
}

func readVectors(t *testing.T) (Hasher, vectors) {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.json")
	require.NoError(t, err)
	var v vectors
	require.NoError(t, json.Unmarshal(data, &v))
	key, err := hex.DecodeString(v.Key)
	require.NoError(t, err)
	return Hasher{Key: key}, v
}

func TestHasherGoldenVectors(t *testing.T) {
	h, golden := readVectors(t)
	require.NotEmpty(t, golden.Vectors)
	for _, v := range golden.Vectors {
		t.Run(v.Name, func(t *testing.T) {
			body := decode(t, v.Object)

			plain, err := h.Plain(body)
			require.NoError(t, err)
			assert.Equal(t, v.Plain, plain, "plain")

			content, err := h.Content(body)
			require.NoError(t, err)
			assert.Equal(t, v.Content, content, "content")

			assert.True(t, Equal(decode(t, v.Object), body), "the argument was changed")
		})
	}
}

func TestHasherMatchesBothHashes(t *testing.T) {
	h, golden := readVectors(t)
	for _, v := range golden.Vectors {
		t.Run(v.Name, func(t *testing.T) {
			body := decode(t, v.Object)
			for _, stored := range []string{v.Plain, v.Content} {
				ok, err := h.Matches(body, stored)
				require.NoError(t, err)
				assert.True(t, ok, stored)
			}
			for _, stored := range []string{"", strings.Repeat("0", 64), strings.ToUpper(v.Plain)} {
				ok, err := h.Matches(body, stored)
				require.NoError(t, err)
				assert.False(t, ok, stored)
			}
		})
	}
}

func TestHasherMatchesStoredWithoutNulls(t *testing.T) {
	_, golden := readVectors(t)
	byName := map[string]string{}
	objects := map[string]string{}
	for _, v := range golden.Vectors {
		byName[v.Name], objects[v.Name] = v.Plain, v.Object
	}
	ok, err := Hasher{}.Matches(decode(t, objects["nulls"]), byName["without nulls"])
	require.NoError(t, err)
	assert.True(t, ok)

	ok, err = Hasher{}.Matches(decode(t, objects["without nulls"]), byName["nulls"])
	require.NoError(t, err)
	assert.False(t, ok, "which nulls were there can't be guessed")
}

func TestHasherWithoutKey(t *testing.T) {
	secret := decode(t, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"n"},"stringData":{"p":"hunter22"}}`)
	plain, err := Hasher{}.Plain(secret)
	require.NoError(t, err)

	_, err = Hasher{}.Content(secret)
	require.ErrorIs(t, err, ErrNoHashKey)
	assert.Contains(t, err.Error(), "Secret n/s")
	assert.NotContains(t, err.Error(), "hunter22")

	ok, err := Hasher{}.Matches(secret, plain)
	require.NoError(t, err, "the plain hash of the original tool needs no key")
	assert.True(t, ok)

	ok, err = Hasher{}.Matches(secret, strings.Repeat("a", 64))
	require.ErrorIs(t, err, ErrNoHashKey, "not modified: unknown")
	assert.False(t, ok)
}

func TestHasherContentOfSecretCannotBeGuessed(t *testing.T) { // case S05
	h, _ := readVectors(t)
	set := loadCase(t, "S05/pin.yaml")
	stored, err := h.Content(set.Objects[0].Body)
	require.NoError(t, err)
	for pin := range 10000 {
		guess := set.Objects[0].DeepCopy()
		guess.Body["stringData"] = map[string]any{"pin": fmt.Sprintf("%04d", pin)}
		plain, err := Hasher{}.Plain(guess.Body)
		require.NoError(t, err)
		if plain == stored {
			t.Fatalf("the stored hash tells the PIN")
		}
	}
	other := Hasher{Key: slices.Repeat([]byte{7}, 32)}
	elsewhere, err := other.Content(set.Objects[0].Body)
	require.NoError(t, err)
	assert.NotEqual(t, stored, elsewhere, "another cluster's key gives another hash")
}

func TestKeyedReplacesEveryMaskedValue(t *testing.T) {
	h, _ := readVectors(t)
	body := decode(t, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","annotations":{
		"kubectl.kubernetes.io/last-applied-configuration":"{\"data\":{\"p\":\"c2VjcmV0\"}}","note":"open"}},
		"type":"Opaque","data":{"p":"c2VjcmV0","broken":"%%%","number":7},"stringData":{"p":"secret"},"stringdata":{"typo":"secret"}}`)
	keyed, err := h.Keyed(body)
	require.NoError(t, err)

	sum := func(raw string) string {
		mac := hmac.New(sha256.New, h.Key)
		mac.Write([]byte(raw))
		return "hmac:" + hex.EncodeToString(mac.Sum(nil))
	}
	assert.Equal(t, map[string]any{"p": sum("secret"), "broken": sum("%%%"), "number": sum("7")}, keyed["data"])
	assert.Equal(t, map[string]any{"p": sum("secret")}, keyed["stringData"], "base64 and text of one value agree")
	assert.Equal(t, map[string]any{"typo": sum("secret")}, keyed["stringdata"])
	assert.Equal(t, "Opaque", keyed["type"])
	annotations := field(keyed, "metadata", "annotations").(map[string]any)
	assert.Equal(t, "open", annotations["note"])
	assert.Regexp(t, `^hmac:[0-9a-f]{64}$`, annotations["kubectl.kubernetes.io/last-applied-configuration"])
}

func TestKeyedOfAStrangersSecret(t *testing.T) {
	withData := decode(t, `{"apiVersion":"x.io/v1","kind":"Secret","metadata":{"name":"s"},"data":{"p":"eA=="},"spec":{"a":1}}`)
	_, err := Hasher{}.Keyed(withData)
	require.ErrorIs(t, err, ErrNoHashKey)
	keyed, err := Hasher{Key: make([]byte, 32)}.Keyed(withData)
	require.NoError(t, err)
	assert.Contains(t, field(keyed, "data", "p"), "hmac:")
	assert.Equal(t, withData["spec"], keyed["spec"])

	_, err = Hasher{}.Keyed(decode(t, `{"apiVersion":"x.io/v1","kind":"Secret","metadata":{"name":"s"},"spec":{"a":1}}`))
	require.NoError(t, err, "a request for a secret holds none")
}

// TestHashIgnoresMaskRules: what an object says about its own display must not
// decide which of its fields are keyed.
func TestHashIgnoresMaskRules(t *testing.T) {
	h := Hasher{Key: make([]byte, 32)}
	keyed, err := h.Keyed(decode(t, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","annotations":{"werf.io/sensitive":"true"}},"type":"Opaque"}`))
	require.NoError(t, err)
	assert.Equal(t, "Opaque", keyed["type"])
}

func TestKeyedLeavesOtherKindsReadable(t *testing.T) {
	body := decode(t, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"1"}}`)
	keyed, err := Hasher{}.Keyed(body)
	require.NoError(t, err)
	assert.Equal(t, body, keyed)
}

func TestPlainRefusesWhatHasNoJSON(t *testing.T) {
	for name, value := range map[string]any{"huge": json.Number("1e999"), "channel": make(chan int)} {
		t.Run(name, func(t *testing.T) {
			_, err := Hasher{}.Plain(map[string]any{"kind": "A", "metadata": map[string]any{"name": "x"}, "spec": []any{value}})
			require.ErrorContains(t, err, "A x")
		})
	}
}

// FuzzHash holds that neither the order of keys nor the way in (JSON text,
// YAML, a copy) changes a hash, and that numbers settle as apimachinery's.
func FuzzHash(f *testing.F) {
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		f.Fatal(err)
	}
	var golden vectors
	if err := json.Unmarshal(data, &golden); err != nil {
		f.Fatal(err)
	}
	for _, v := range golden.Vectors {
		f.Add(v.Object, uint64(1))
	}
	h := Hasher{Key: make([]byte, 32)}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		body, err := DecodeJSON([]byte(text))
		if err != nil {
			t.Skip()
		}
		plain, err := h.Plain(body)
		if err != nil {
			t.Skip() // numbers out of range
		}
		content, err := h.Content(body)
		require.NoError(t, err)

		shuffled, err := DecodeJSON(shuffledJSON(body, rand.New(rand.NewPCG(seed, 0))))
		require.NoError(t, err)
		again, err := h.Plain(shuffled)
		require.NoError(t, err)
		assert.Equal(t, plain, again, "order of keys")
		again, err = h.Content(shuffled)
		require.NoError(t, err)
		assert.Equal(t, content, again, "order of keys")

		ok, err := h.Matches(body, content)
		require.NoError(t, err)
		assert.True(t, ok)
		assert.Equal(t, plain, seedProcedure(t, text))
	})
}

// seedProcedure is the original tool's procedure in its own steps: through
// apimachinery's decoder, delete, marshal, hash.
func seedProcedure(t *testing.T, text string) string {
	t.Helper()
	settled, err := DecodeJSON([]byte(text)) // 1.0 is 1 for kubectl's reader
	require.NoError(t, err)
	data, err := json.Marshal(settled)
	require.NoError(t, err)
	var body map[string]any
	require.NoError(t, apijson.Unmarshal(data, &body))
	delete(body, "status")
	if metadata, ok := body["metadata"].(map[string]any); ok {
		for _, key := range serverFields() {
			delete(metadata, key)
		}
	}
	data, err = json.Marshal(body)
	require.NoError(t, err)
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

func shuffledJSON(value any, random *rand.Rand) []byte {
	switch v := value.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		out := []byte("{")
		for i, key := range keys {
			if i > 0 {
				out = append(out, ',')
			}
			name, _ := json.Marshal(key)
			out = append(append(append(out, name...), ':'), shuffledJSON(v[key], random)...)
		}
		return append(out, '}')
	case []any:
		out := []byte("[")
		for i, item := range v {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, shuffledJSON(item, random)...)
		}
		return append(out, ']')
	default:
		out, _ := json.Marshal(value)
		return out
	}
}
