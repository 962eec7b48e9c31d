package inventory

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

func TestLiveHash(t *testing.T) {
	live := func(kind string, data map[string]any) map[string]any {
		return map[string]any{
			"apiVersion": "v1", "kind": kind, "data": data, "status": map[string]any{"phase": "x"},
			"metadata": map[string]any{
				"name": "a", "namespace": "b", "uid": "1", "resourceVersion": "2", "generation": int64(3),
				"creationTimestamp": "2026-01-01T00:00:00Z", "managedFields": []any{}, "selfLink": "/x",
			},
		}
	}
	entry := state.Entry{Key: state.Key{Manifest: "m", Version: "v1", Kind: "ConfigMap", Namespace: "b", Name: "a"}}
	hidden := entry
	hidden.Hidden = []object.Path{{"data", "k"}}
	key := object.Hasher{Key: []byte("0123456789abcdef0123456789abcdef")}
	chosen := func(map[string]any) []object.MaskRule { return object.HidePaths(entry.Key.Ref(), hidden.Hidden) }
	value := map[string]any{"k": "v"}

	// sha256 of {"apiVersion":"v1","data":{"k":"v"},"kind":"ConfigMap","metadata":{"name":"a","namespace":"b"}}
	const want = "1a23cc70ee86515e7f0d0cd4cb590a2e1cb62ff10c9035efaa81e7b64a2f683c"
	require.Equal(t, want, LiveHash(entry, live("ConfigMap", value), object.Hasher{}, nil))
	require.Empty(t, LiveHash(entry, nil, key, nil), "there is no object")

	// nothing that could be guessed from: keyed, or nothing
	secret := live("Secret", map[string]any{"k": "dg=="})
	plain, err := key.Plain(secret)
	require.NoError(t, err)
	require.Empty(t, LiveHash(entry, secret, object.Hasher{}, nil))
	require.Empty(t, LiveHash(hidden, live("ConfigMap", value), object.Hasher{}, nil))
	require.Empty(t, LiveHash(entry, live("ConfigMap", value), object.Hasher{}, chosen))
	for name, sum := range map[string]string{
		"secret":           LiveHash(entry, secret, key, nil),
		"by the record":    LiveHash(hidden, live("ConfigMap", value), key, nil),
		"by a rule":        LiveHash(entry, live("ConfigMap", value), key, chosen),
		"by rule and both": LiveHash(hidden, live("ConfigMap", value), key, chosen),
	} {
		require.Len(t, sum, 64, name)
		require.NotContains(t, []string{plain, want}, sum, name)
	}
}
