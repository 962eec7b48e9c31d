package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseChangeRule(t *testing.T) {
	for text, want := range map[string]ChangeRule{
		"upsert after upserting a":         {Group: "a"},
		"upsert before deleting a/b":       {Before: true, GroupDeleting: true, Group: "a/b"},
		"delete  after\tdeleting a.b-c_d ": {Deleting: true, GroupDeleting: true, Group: "a.b-c_d"},
		"delete before upserting {kind}":   {Deleting: true, Before: true, Group: "{kind}"},
	} {
		got, err := ParseChangeRule(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
		again, err := ParseChangeRule(got.String())
		require.NoError(t, err)
		assert.Equal(t, want, again)
	}
	for text, want := range map[string]string{
		"":                           `wanted four words such as "upsert after upserting GROUP", found 0`,
		"upsert after upserting a b": `wanted four words such as "upsert after upserting GROUP", found 5`,
		"update after upserting a":   `wanted upsert or delete as word 1, found "update"`,
		"upsert while upserting a":   `wanted after or before as word 2, found "while"`,
		"upsert after upsert a":      `wanted upserting or deleting as word 3, found "upsert"; did you mean "upserting"?`,
		"upsert after upserting a:b": `"a:b" is no name of a group: wanted NAME or PREFIX/NAME of letters, digits, '-', '_' and '.'`,
	} {
		_, err := ParseChangeRule(text)
		require.ErrorContains(t, err, want, text)
	}
}

func TestCheckGroupName(t *testing.T) {
	for _, name := range []string{
		"a", "A.b_c-d", "example.org/a", "crds-{crd-group}-{crd-kind}", "{name}", "a/{api-group}.{kind}.{name}.{namespace}",
	} {
		require.NoError(t, CheckGroupName(name), name)
	}
	for _, name := range []string{"", "-a", "a-", "a/b/c", "/a", "a/", "Ex.org/a", "a b", "a{}", "{nme}", "{{kind}}"} {
		require.Error(t, CheckGroupName(name), name)
	}
	for _, p := range Placeholders() {
		require.NoError(t, CheckGroupName("x-"+p), p)
	}
}

func TestExpandGroupName(t *testing.T) {
	values := map[string]string{"{kind}": "Pod", "{name}": "a:b", "{api-group}": ""}
	got, err := ExpandGroupName("x/{kind}-{name}-{kind}", values)
	require.NoError(t, err)
	assert.Equal(t, "x/Pod-a:b-Pod", got)
	_, err = ExpandGroupName("x-{api-group}-{crd-kind}", values)
	require.EqualError(t, err, "group x-{api-group}-{crd-kind}: the object has no value for {api-group}, {crd-kind}")
	got, err = ExpandGroupName("plain", nil)
	require.NoError(t, err)
	assert.Equal(t, "plain", got)
}

func TestMisspeltKappAnnotation(t *testing.T) {
	for _, key := range append(KappAnnotations(),
		"example.org/a", "kapp.k14s.io.example.org/a", KappChangeRule+".x", KappChangeGroup+".a.b", KappExplicitRef+".cm",
	) {
		assert.Empty(t, MisspeltKappAnnotation(key), key)
	}
	assert.Equal(t, `unknown annotation kapp.k14s.io/update-stategy; did you mean "kapp.k14s.io/update-strategy"?`,
		MisspeltKappAnnotation("kapp.k14s.io/update-stategy"))
	assert.Equal(t, `unknown annotation kapp.k14s.io/change-rules.a; did you mean "kapp.k14s.io/change-rule"?`,
		MisspeltKappAnnotation("kapp.k14s.io/change-rules.a"))
	assert.Contains(t, MisspeltKappAnnotation("kapp.k14s.io/versioned.x"), "unknown annotation")
}
