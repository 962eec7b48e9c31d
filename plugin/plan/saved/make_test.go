package saved

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

func TestNoSecretIsInTheFile(t *testing.T) {
	const password = "correct horse battery"
	p := planned(t, []string{settings, login}, []string{slow})
	f := made(t, p, NewKey([]byte("0123456789abcdef")))
	data, err := json.Marshal(f)
	require.NoError(t, err)
	for _, text := range []string{password, base64.StdEncoding.EncodeToString([]byte(password)), "0123456789abcdef"} {
		assert.NotContains(t, string(data), text)
	}
	assert.Contains(t, string(data), "value not shown")
}

// --show-secrets is for the terminal: a file stays masked.
func TestShowSecretsDoesNotReachTheFile(t *testing.T) {
	mask := object.DefaultMasker()
	mask.Show = true
	f, err := Make(planned(t, []string{login}, nil), Digester{Key: []byte("k"), Masker: mask}, about())
	require.NoError(t, err)
	data, err := json.Marshal(f)
	require.NoError(t, err)
	assert.NotContains(t, string(data), "horse")
}

func TestWithoutAKeySecretsCannotBeSaved(t *testing.T) {
	for name, text := range map[string]string{
		"a Secret":       login,
		"a Secret's key": "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: x}, data: {}}",
		"a copy of the last apply": `{apiVersion: v1, kind: ConfigMap, metadata: {name: s, namespace: x,
			annotations: {kubectl.kubernetes.io/last-applied-configuration: "{}"}}}`,
		"what says so itself": "{apiVersion: v1, kind: ConfigMap, metadata: {name: s, namespace: x, annotations: {werf.io/sensitive: \"true\"}}, data: {a: b}}",
	} {
		_, err := Make(planned(t, []string{settings, text}, nil), Digester{Masker: object.DefaultMasker()}, about())
		require.ErrorIs(t, err, ErrNoKey, name)
		assert.Contains(t, err.Error(), "x/s", name)
	}
	f := made(t, planned(t, []string{settings}, nil), nil)
	assert.Len(t, f.Objects[0].Input, 64)
}

// Also where it is live only: the digest of what was seen would tell it.
func TestWithoutAKeyLiveSecretsCannotBeSaved(t *testing.T) {
	_, err := Make(planned(t, []string{settings}, []string{settings, login}), Digester{Masker: object.DefaultMasker()}, about())
	require.ErrorIs(t, err, ErrNoKey)
}

func TestDigestsOfSecretsDependOnTheKey(t *testing.T) {
	p := planned(t, []string{login}, nil)
	one, two := made(t, p, NewKey([]byte("one"))), made(t, p, NewKey([]byte("two")))
	assert.NotEqual(t, one.Objects[0].Input, two.Objects[0].Input)
	assert.NotEqual(t, one.Objects[0].Intent, two.Objects[0].Intent)
	assert.Equal(t, one.Objects, made(t, p, NewKey([]byte("one"))).Objects)
}
