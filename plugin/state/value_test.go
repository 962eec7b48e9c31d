package state

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	hashA = strings.Repeat("a", 64)
	hashB = strings.Repeat("b", 64)
	hashC = strings.Repeat("c", 64)
)

// mustKey reads a state key in a test.
func mustKey(t *testing.T, text string) Key {
	t.Helper()
	k, err := ParseKey(text)
	require.NoError(t, err)
	return k
}

func TestEncodeEntry(t *testing.T) {
	t.Parallel()
	k := mustKey(t, "m//v1/ConfigMap/default/a")
	assert.Equal(t, `{"contentHash":"`+hashA+`"}`, encodeEntry(k, hashA, ""))
	assert.Equal(t, `{"contentHash":""}`, encodeEntry(k, "", ""))
	assert.Equal(t, `{"contentHash":"`+hashA+`"}`, encodeEntry(k, hashA, "{not json"))
	assert.Equal(t, `{"contentHash":"`+hashA+`","a":[1],"future":{"x":1.50}}`,
		encodeEntry(k, hashA, `{"future":{"x":1.50},"contentHash":"zz","a":[1]}`),
		"what a newer version put there stays, as it is")

	k.Name = strings.Repeat("<", 253)
	assert.Equal(t, `{"contentHash":"`+hashA+`","key":"`+k.String()+`"}`, encodeEntry(k, hashA, ""))
}

func TestParseEntry(t *testing.T) {
	t.Parallel()
	const data = "m____v1__ConfigMap__default__a"
	for value, want := range map[string]string{
		`{"contentHash":"` + hashA + `"}`:     hashA,
		`{ "contentHash" : "` + hashA + `" }`: hashA,
		`{"contentHash":""}`:                  "",
	} {
		k, hash, err := parseEntry("m", data, value)
		require.NoError(t, err)
		assert.Equal(t, want, hash)
		assert.Equal(t, "m//v1/ConfigMap/default/a", k.String())
	}
}

func TestParseEntryDamaged(t *testing.T) {
	t.Parallel()
	const good = "m____v1__ConfigMap__default__a"
	long := Key{Manifest: "m", Version: "v1", Kind: "K", Name: strings.Repeat("n", 253)}
	other := long
	other.Manifest = "other"
	for name, c := range map[string]struct{ data, value, reason string }{
		"not json":          {good, `{not json`, "not a JSON object"},
		"null":              {good, `null`, "not a JSON object"},
		"list":              {good, `[]`, "not a JSON object"},
		"trailing":          {good, `{"contentHash":""} x`, "not a JSON object"},
		"empty":             {good, ``, "not a JSON object"},
		"no hash":           {good, `{}`, "no field contentHash"},
		"null hash":         {good, `{"contentHash":null}`, "contentHash: wanted a string"},
		"number":            {good, `{"contentHash":1}`, "contentHash: wanted a string"},
		"bad hash":          {good, `{"contentHash":"zz","future":1}`, "64 lower-case hex digits"},
		"upper case":        {good, `{"contentHash":"` + strings.ToUpper(hashA) + `"}`, "64 lower-case hex digits"},
		"other case":        {good, `{"ContentHash":"` + hashA + `"}`, "no field contentHash"},
		"newer":             {good, `{"contentHash":"` + hashA + `","future":1,"also":2}`, "does not know: also, future"},
		"short key":         {"broken__v1__ConfigMap", `{"contentHash":""}`, "wanted 5 or 6 parts"},
		"other manifest":    {"o____v1__ConfigMap__default__a", `{"contentHash":""}`, `belongs to manifest "o"`},
		"reserved":          {"_future", `{"contentHash":""}`, "a newer version wrote it"},
		"hashed, no key":    {long.DataKey(), `{"contentHash":""}`, "no field key"},
		"hashed, wrong key": {long.DataKey(), `{"contentHash":"","key":"m//v1/K/a"}`, "another hash than the data key"},
		"hashed, bad key":   {long.DataKey(), `{"contentHash":"","key":"m"}`, "wanted 5 or 6 parts"},
		"hashed, other":     {other.DataKey(), `{"contentHash":"","key":"` + other.String() + `"}`, `belongs to manifest "other"`},
		"plain with key":    {good, `{"contentHash":"","key":"m//v1/K/a"}`, "does not know: key"},
	} {
		_, _, err := parseEntry("m", c.data, c.value)
		require.ErrorContains(t, err, c.reason, name)
	}
}

// A reason goes to the terminal, so it must not quote what may be anything.
func TestDamageDoesNotQuoteTheValue(t *testing.T) {
	t.Parallel()
	for _, value := range []string{`"s3cret"`, `{"contentHash":"s3cret"}`, `{"contentHash":{"a":"s3cret"}}`, `s3cret`} {
		_, _, err := parseEntry("m", "m____v1__ConfigMap__default__a", value)
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "s3cret")
	}
}

func TestMetadata(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 29, 12, 30, 0, 999, time.FixedZone("", 3600))
	text := encodeMetadata(Metadata{GitCommitHash: "abc", LastSyncedAt: at}, "")
	assert.Equal(t, `{"gitCommitHash":"abc","lastSyncedAt":"2026-11-29T11:30:00Z"}`, text)
	m, err := parseMetadata(text)
	require.NoError(t, err)
	assert.Equal(t, "abc", m.GitCommitHash)
	assert.True(t, at.Truncate(time.Second).Equal(m.LastSyncedAt))

	assert.Equal(t, `{"gitCommitHash":"","lastSyncedAt":"","future":1}`, encodeMetadata(Metadata{}, `{"future":1}`))
	for _, empty := range []string{`{}`, `{"gitCommitHash":"","lastSyncedAt":""}`, `{"future":1}`} {
		m, err := parseMetadata(empty)
		require.NoError(t, err)
		assert.Zero(t, m)
	}
	for _, broken := range []string{``, `x`, `{"gitCommitHash":1}`, `{"lastSyncedAt":"yesterday"}`, `{"lastSyncedAt":null}`} {
		_, err := parseMetadata(broken)
		require.Error(t, err, broken)
	}
}

func FuzzParseEntry(f *testing.F) {
	f.Add("m____v1__ConfigMap__default__a", `{"contentHash":""}`)
	f.Add("m____v1__ConfigMap__default__a", `{"contentHash":"zz","future":1}`)
	f.Add("m____\x91__"+strings.Repeat(":", 60)+"\x00\x00__:", `{"contentHash":""}`)
	f.Fuzz(func(t *testing.T, data, value string) {
		k, hash, err := parseEntry("m", data, value)
		if err != nil {
			return
		}
		require.Equal(t, "m", k.Manifest)
		again, sameHash, err := parseEntry("m", k.DataKey(), encodeEntry(k, hash, value))
		require.NoError(t, err)
		require.Equal(t, k, again)
		require.Equal(t, hash, sameHash)
	})
}
