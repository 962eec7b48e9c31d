package state

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// admitted is what the API server takes for a key of ConfigMap.data.
var admitted = regexp.MustCompile(`^[-._a-zA-Z0-9]{1,253}$`)

func TestDataKey(t *testing.T) {
	t.Parallel()
	for state, data := range map[string]string{
		"nginx/apps/v1/Deployment/default/nginx":  "nginx__apps__v1__Deployment__default__nginx",
		"my-manifest//v1/ConfigMap/default/my-cm": "my-manifest____v1__ConfigMap__default__my-cm",
		"m/rbac.authorization.k8s.io/v1/ClusterRole/cert-manager:leader": "m__rbac.authorization.k8s.io__v1__ClusterRole__" +
			"cert-manager_x3aleader",
		"old_name//v1/Namespace/x":          "old_x5fname____v1__Namespace__x",
		"m/g/v1/K/ns/Ünï":                   "m__g__v1__K__ns___xc3_x9cn_xc3_xaf",
		"m/g/v1/K/ns/~@":                    "m__g__v1__K__ns___x7e_x40",
		"m/g/v1/K/_x3a":                     "m__g__v1__K___x5fx3a",
		"m/g/v1/K/ns/a__b":                  "m__g__v1__K__ns__a_x5f_x5fb",
		"m//v1/Secret/kube-system/UPPER.42": "m____v1__Secret__kube-system__UPPER.42",
	} {
		k, err := ParseKey(state)
		require.NoError(t, err)
		assert.Equal(t, data, k.DataKey())
		back, err := ParseDataKey(data)
		require.NoError(t, err)
		assert.Equal(t, k, back)
	}
}

func TestParseOldDataKeys(t *testing.T) {
	t.Parallel()
	for data, state := range map[string]string{
		"nginx__apps__v1__Deployment__default__nginx": "nginx/apps/v1/Deployment/default/nginx",
		"my_app____v1__ConfigMap__default__a":         "my_app//v1/ConfigMap/default/a",
		"my_xyz____v1__ConfigMap__default__a":         "my_xyz//v1/ConfigMap/default/a",
		"my_xAB____v1__ConfigMap__default__a":         "my_xAB//v1/ConfigMap/default/a",
		"my_x____v1__ConfigMap__default__a":           "my_x//v1/ConfigMap/default/a",
	} {
		k, err := ParseDataKey(data)
		require.NoError(t, err)
		assert.Equal(t, state, k.String())
	}
}

// Old manifest names could hold what now is an escape. The record's own name
// tells the two apart.
func TestParseDataKeyOfKnownManifest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ manifest, data, state string }{
		{"my_x41", "my_x41____v1__ConfigMap__default__a", "my_x41//v1/ConfigMap/default/a"},
		{"a__b", "a__b__apps__v1__Deployment__default__a", "a__b/apps/v1/Deployment/default/a"},
		{"a_", "a___apps__v1__Deployment__default__a", "a_/apps/v1/Deployment/default/a"},
		{"a__b", "a_x5f_x5fb____v1__Namespace__a", "a__b//v1/Namespace/a"},
		{"m", "m____v1__Namespace__a", "m//v1/Namespace/a"},
	} {
		k, err := parseDataKeyOf(c.manifest, c.data)
		require.NoError(t, err)
		assert.Equal(t, c.state, k.String())
	}
	_, err := parseDataKeyOf("m", "other____v1__Namespace__a")
	require.ErrorContains(t, err, `belongs to manifest "other", not to "m"`)
	_, err = parseDataKeyOf("broken", "broken__v1__ConfigMap")
	require.ErrorContains(t, err, "wanted 5 or 6 parts")
}

func TestHashedDataKey(t *testing.T) {
	t.Parallel()
	k := Key{Manifest: "m", Version: "v1", Kind: "ConfigMap", Namespace: "default"}
	k.Name = strings.Repeat("n", maxDataKey-len(k.DataKey()))
	assert.Len(t, k.DataKey(), maxDataKey)
	assert.False(t, isHashedDataKey(k.DataKey()), "253 bytes still fit")

	k.Name += "n"
	hashed := k.DataKey()
	assert.Regexp(t, `^_h[0-9a-f]{64}$`, hashed)
	_, err := ParseDataKey(hashed)
	require.ErrorIs(t, err, ErrHashedKey)

	other := k
	other.Name = k.Name[:len(k.Name)-1] + "m"
	assert.NotEqual(t, hashed, other.DataKey())
}

// A name of 200 bytes fits, and does not once it has to be escaped.
func TestEscapingCountsForTheLimit(t *testing.T) {
	t.Parallel()
	k := Key{Manifest: "m", Version: "v1", Kind: "Role", Namespace: "default", Name: strings.Repeat(":", 60)}
	assert.True(t, isHashedDataKey(k.DataKey()))
	k.Name = strings.Repeat("a", 200)
	assert.False(t, isHashedDataKey(k.DataKey()))
}

// randomText draws from everything that has ever been in a name, and more.
func randomText(r *rand.Rand, most int) string {
	pieces := []string{
		"a", "Z", "0", "-", ".", ":", "_", "__", "_x", "_x3a", "_h", "~", "@", "%", " ", "ü", "名", "\x00", "\x7f",
		"abcdefghij", strings.Repeat("long", 20),
	}
	var b strings.Builder
	for range 1 + r.IntN(most) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

func randomKey(r *rand.Rand) Key {
	k := Key{
		Manifest: randomText(r, 3), Version: randomText(r, 2), Kind: randomText(r, 2), Name: randomText(r, 6),
	}
	if r.IntN(2) == 0 {
		k.Group = randomText(r, 3)
	}
	if r.IntN(2) == 0 {
		k.Namespace = randomText(r, 3)
	}
	return k
}

func TestDataKeyRoundTrip(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	seen := map[string]Key{}
	for range 5_000 {
		k := randomKey(r)
		if k.addressable(k.String()) != nil {
			continue // no object has it
		}
		checkRoundTrip(t, k)
		if other, ok := seen[k.DataKey()]; ok {
			require.Equal(t, other, k, "two keys under one data key")
		}
		seen[k.DataKey()] = k
	}
}

// checkRoundTrip: every key comes back from its data key and value, and the API
// server admits it.
func checkRoundTrip(t *testing.T, k Key) {
	t.Helper()
	data := k.DataKey()
	require.Regexp(t, admitted, data)
	back, hash, err := parseEntry(k.Manifest, data, encodeEntry(k, "", ""))
	require.NoError(t, err, "%q", k)
	require.Equal(t, k, back)
	require.Empty(t, hash)
	if !isHashedDataKey(data) {
		back, err = ParseDataKey(data)
		require.NoError(t, err)
		require.Equal(t, k, back)
	}
}

func FuzzDataKeyRoundTrip(f *testing.F) {
	f.Add("m", "apps", "v1", "Deployment", "default", "nginx")
	f.Add("old_name", "", "v1", "ClusterRole", "", "system:node_x3a__b")
	f.Add("m", "g", "v1", "K", "ns", strings.Repeat("ü", 200))
	f.Fuzz(func(t *testing.T, manifest, group, version, kind, namespace, name string) {
		k := Key{manifest, group, version, kind, namespace, name}
		if back, err := ParseKey(k.String()); err != nil || back != k || !utf8.ValidString(k.String()) {
			t.Skip("no object has such a key")
		}
		checkRoundTrip(t, k)
	})
}

func FuzzParseDataKey(f *testing.F) {
	f.Add("nginx__apps__v1__Deployment__default__nginx")
	f.Add("my_x41____v1__ConfigMap__default__a")
	f.Add("_h" + strings.Repeat("a", 64))
	f.Add("_metadata")
	f.Add("___________")
	f.Fuzz(func(t *testing.T, data string) {
		k, err := ParseDataKey(data)
		if err != nil {
			return
		}
		again, err := ParseDataKey(encodeDataKey(k.String()))
		require.NoError(t, err)
		require.Equal(t, k, again, "writing what was read must not change it")
		known, err := parseDataKeyOf(k.Manifest, data)
		require.NoError(t, err)
		require.Equal(t, k, known)
	})
}
