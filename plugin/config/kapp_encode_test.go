package config

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

func TestEncode(t *testing.T) {
	c, err := LoadKappConfig("testdata/kapp/complete.yaml")
	require.NoError(t, err)
	got := c.Encode()

	const golden = "testdata/kapp/complete.golden.yaml"
	if *update {
		require.NoError(t, os.WriteFile(golden, got, 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got))

	again, err := ParseKappConfig(got, "again.yaml")
	require.NoError(t, err)
	assert.Equal(t, withoutPlaces(c), withoutPlaces(again))
}

func TestEncodeNothing(t *testing.T) {
	got := KappConfig{}.Encode()
	assert.Equal(t, kappText(""), string(got))
	c, err := ParseKappConfig(got, "a.yaml")
	require.NoError(t, err)
	assert.Equal(t, KappConfig{}, withoutPlaces(c))
}

// Texts that YAML would take for something else come back as they were.
func TestEncodeOddTexts(t *testing.T) {
	for _, text := range []string{
		"on", "Yes", "n", "null", "Null", "~", "1", "1.5", "0x1f", "2001-01-01", "", " a", "a ", "a: b", "a #b",
		"*a", "&a", "!a", "{a}", "[a]", "- a", "'", `"`, "\n", "a\nb", "é", "\u2028", "#", "%", "@", "`", "=", "<<",
		strings.Repeat("long ", 100),
	} {
		c := KappConfig{MaskRules: []FieldRule{{
			Path:     RulePath{{Key: text}},
			Matchers: []ResourceMatcher{{Type: MatchAnnotations, Keys: []string{text}}},
		}}}
		again, err := ParseKappConfig(c.Encode(), "a.yaml")
		require.NoError(t, err, "%q:\n%s", text, c.Encode())
		assert.Equal(t, c, withoutPlaces(again), "%q", text)
	}
}

func TestDigestIsOfTheContent(t *testing.T) {
	digest := func(text string) string {
		c, err := ParseKappConfig([]byte(text), "a.yaml")
		require.NoError(t, err)
		return c.Digest()
	}
	a := digest(kappText("additionalLabels: {a: b}\n"))
	assert.Equal(t, a, digest("# elsewhere\n\n"+kappText("additionalLabels:\n  a: \"b\"\n")))
	assert.NotEqual(t, a, digest(kappText("additionalLabels: {a: c}\n")))
	assert.Len(t, a, 32)
}

// Verdicts of thousands of objects ask for it, from many goroutines.
func TestDigestIsComputedOnce(t *testing.T) {
	c := defaultConfig(t)
	first := c.Digest()
	assert.Zero(t, testing.AllocsPerRun(10, func() { c.Digest() }))
	assert.Equal(t, first, c.fingerprint())
	more, err := ParseKappConfig([]byte(kappText("additionalLabels: {a: b}\n")), "a.yaml")
	require.NoError(t, err)
	both := c.With(more)
	assert.NotEqual(t, first, both.Digest(), "what is added counts")
	assert.Equal(t, first, c.Digest())
	assert.Equal(t, KappConfig{AdditionalLabels: map[string]string{"a": "b"}}.Digest(), more.Digest(), "a value of one's own has one too")
}

// FuzzKappConfig holds that nothing makes the reader fail in another way than by
// an error, and that whatever it accepts is written so that it reads it again.
func FuzzKappConfig(f *testing.F) {
	complete, err := os.ReadFile("testdata/kapp/complete.yaml")
	require.NoError(f, err)
	f.Add(complete)
	f.Add([]byte(kappText("rebaseRules:\n- &r {path: [a, {index: 1}, {regex: b}], type: remove, resourceMatchers: &m [allMatcher: {}]}\n- <<: *r\n")))
	f.Add([]byte(kappText("waitRules: [{conditionMatchers: [{type: A, status: \"True\", failure: true, timeout: 1h30m}], resourceMatchers: [allMatcher: {}]}]\n")))
	f.Add([]byte(kappText("preflightRules: [{name: PermissionValidation, config: {a: [1, -2.5e3, 0x10, null, {b: \"\\t\"}]}}]\n")))
	f.Add([]byte(kappText("additionalLabels: {a: \"true\", b: ''}\n")))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseKappConfig(data, "a.yaml")
		taken, rest, takeErr := TakeKappConfig(data, "a.yaml")
		if takeErr == nil {
			assert.Equal(t, strings.Count(string(data), "\n"), strings.Count(string(rest), "\n"), "lines stay")
			assert.NotNil(t, taken.Encode())
		}
		if err != nil {
			return
		}
		text := c.Encode()
		again, err := ParseKappConfig(text, "b.yaml")
		if err != nil {
			t.Fatalf("accepted, but not again: %v\n%s", err, text)
		}
		assert.Equal(t, string(text), string(again.Encode()))
		assert.Equal(t, withoutPlaces(c), withoutPlaces(again))
	})
}
